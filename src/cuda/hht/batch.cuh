/*
 * batch.cuh - a batch as the host sees it: its rows, where its arrays go, and the first look at it.
 */
#ifndef WSI_CUDA_HHT_BATCH_CUH
#define WSI_CUDA_HHT_BATCH_CUH

#include "cuda/hht/look.cuh"
#include "cuda/hht/memory.cuh"

/* ---- A batch ------------------------------------------------------------------------------- */

template <class T> struct hht_batch {
	cuda_work *w;
	hht_gpu *g;
	size_t first;           /* channel */
	unsigned channels, rows; /* of it */
	hht_rows<T> modes, signal, residue;
};

/* Runs a kernel over a grid, by HHT_THREADS threads a block. */
template <class... P, class... A>
static void
go(cuda_work *w, dim3 grid, void (*kernel)(P...), A... arguments)
{
	if (w->error == cudaSuccess)
		well(w, hht_launch(w->stream, grid, HHT_THREADS, 0, kernel, arguments...),
		     "the analysis");
}

template <class... P, class... A>
static void
go_with(cuda_work *w, dim3 grid, int threads, size_t shared, void (*kernel)(P...), A... arguments)
{
	if (w->error == cudaSuccess)
		well(w, hht_launch(w->stream, grid, threads, shared, kernel, arguments...),
		     "the analysis");
}

/* Rows of the batch from where the caller has them, through a copy where that is the host. */
template <class T>
static hht_rows<T>
rows_of(hht_batch<T> &b, const wsi_hht_rows &from, char *copy, size_t modes, bool scaled)
{
	hht_gpu *g = b.g;
	const size_t row = g->job->n * sizeof(T);
	const wsi_hht_channel *of = scaled ? g->channel : NULL;
	const char *at = from.data + b.first * from.channel;
	if (from.on_device)
		return { at, from.channel, from.row, (int)modes, of };
	if (from.channel == modes * from.row || modes == 1)
		cuda_work_put(b.w, copy, row, at, modes == 1 ? from.channel : from.row, row,
		              b.channels * modes);
	else
		for (size_t c = 0; c < b.channels; ++c)
			cuda_work_put(b.w, copy + c * modes * row, row, at + c * from.channel,
			              from.row, row, modes);
	return { copy, modes * row, row, (int)modes, of };
}

/* Where the caller's array is on the device; data NULL where it is not wanted, or not there. */
template <class T, class E>
static hht_out<E>
caller_rows(const hht_batch<T> &b, int array, int part)
{
	const wsi_io *io = b.w->io;
	if (!has_part(b.g->job, part) || !io->on_device || !wsi_io_wants(io, array))
		return { NULL, 0, 0, 1 };
	const ws_buffer *to = &io->arrays[array];
	return { (char *)to->data + b.first * to->stride[0], to->stride[0], to->stride[1],
		 (int)b.g->job->modes };
}

static bool
host_wants(const cuda_work *w, const wsi_hht_job *job, int array, int part)
{
	return has_part(job, part) && !w->io->on_device && wsi_io_wants(w->io, array);
}

/* Rows of a chunk's buffer, `stride` bytes apart, by numbers of the batch. */
template <class E>
static hht_out<E>
chunk_rows(char *buffer, size_t stride, unsigned row0)
{
	return { buffer - row0 * stride, stride, 0, 1 };
}

template <class T>
static void
look_at(hht_batch<T> &b)
{
	hht_gpu *g = b.g;
	const wsi_hht_job *job = g->job;
	cuda_work *w = b.w;
	const hht_chunk all = { 0, (unsigned)job->n, g->stride, g->tiles, g->alive, g->sums };
	const dim3 threads(blocks_for(b.rows, HHT_THREADS));
	go(w, threads, hht_clear_kernel, g->sums, b.rows);
	if (job->counts)
		cuda_work_table(w, g->counts, job->counts + b.first, b.channels * sizeof(int32_t));
	go(w, dim3(g->tiles < 16 ? g->tiles : 16, b.rows), hht_look_kernel<T>, all, b.modes,
	   job->counts ? g->counts : NULL);
	go(w, dim3(blocks_for(b.channels, HHT_THREADS)), hht_judge_kernel, g->sums,
	   job->counts ? g->counts : NULL, (int)job->modes, b.channels, g->channel, g->alive);
	go(w, dim3(g->tiles, b.channels), hht_facts_kernel<T>, all, b.modes, b.signal, b.residue,
	   g->channel, g->facts);
	go(w, dim3(blocks_for(b.rows + b.channels, HHT_THREADS)), hht_facts_total_kernel, all,
	   b.rows, b.channels, g->channel, g->facts);
	if (w->error == cudaSuccess)
		well(w, cudaMemsetAsync(g->largest, 0, b.channels * sizeof(double), w->stream),
		     "the analysis");
}

#endif
