/*
 * kept.cu - tables of Hilbert-Huang spectra that the device keeps for the next execution of the
 * same plan, so that one whose arrays are in its memory brings none from the host.
 */
#include "cuda/hht/kept.h"

#include <mutex>
#include <new>
#include <utility>

/* Plans whose tables are kept, at most. */
constexpr size_t KEPT = 4;

struct hht_kept { hht_tables at[KEPT]; }; /* the last given first; memory NULL: none */

/* Waits, where work that reads them is under way. */
static void
close(hht_tables *t)
{
	cudaFree(t->memory);
	if (t->last)
		cudaEventDestroy(t->last);
	*t = {};
}

cudaError_t
hht_tables_take(wsi_device *d, uint64_t made, size_t bytes, cudaStream_t stream,
                hht_tables *tables)
{
	*tables = {};
	{
		const std::lock_guard<std::mutex> guard(*(std::mutex *)d->lock);
		if (!d->hht)
			d->hht = new (std::nothrow) hht_kept();
		if (!d->hht)
			return cudaErrorMemoryAllocation;
		for (hht_tables &t : d->hht->at)
			if (t.memory && t.made == made && t.bytes == bytes) {
				*tables = std::exchange(t, {});
				break;
			}
	}
	if (tables->memory)
		return cudaStreamWaitEvent(stream, tables->last, 0);
	tables->made = made;
	tables->bytes = bytes;
	return cudaMalloc((void **)&tables->memory, bytes);
}

cudaError_t
hht_tables_give(wsi_device *d, cudaStream_t stream, hht_tables *tables, bool good)
{
	cudaError_t error = cudaSuccess;
	if (good && !tables->last)
		error = cudaEventCreateWithFlags(&tables->last, cudaEventDisableTiming);
	if (good && error == cudaSuccess)
		error = cudaEventRecord(tables->last, stream);
	if (good && error == cudaSuccess) {
		/* Each moves on to the next place, up to one that is free. */
		const std::lock_guard<std::mutex> guard(*(std::mutex *)d->lock);
		for (size_t i = 0; i < KEPT && tables->memory; ++i)
			std::swap(*tables, d->hht->at[i]);
	}
	if (tables->memory)
		close(tables);
	return error;
}

void
hht_kept_close(hht_kept *kept)
{
	if (!kept)
		return;
	for (hht_tables &t : kept->at)
		if (t.memory)
			close(&t);
	delete kept;
}
