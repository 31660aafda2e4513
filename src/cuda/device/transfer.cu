/* transfer.cu - rows on their way between host and device. */
#include "cuda/device/transfer.h"

#include <string.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

/* A thread that copies. */
struct transfer_lane {
	std::thread thread;
	cudaError_t error;
};

/* Between two questions whether the user has cancelled. */
constexpr std::chrono::milliseconds PATIENCE(10);

/* Those that copy, each with two halves of pinned memory: lanes, and who waits for them. */
constexpr int HANDS = TRANSFER_LANES + 1;

struct transfer {
	int device, most_stride; /* of rows that the driver steps along */
	cudaStream_t stream;    /* one: more than a few wait for each other, whatever they do */
	cudaEvent_t ready;      /* what the copy waits for */
	char *pinned;           /* [hand][2][TRANSFER_PACKET] */
	cudaEvent_t copied[HANDS][2]; /* by the device, from or to these */
	transfer_lane lane[TRANSFER_LANES];
	/* Of the job under way; but for next, guarded by lock. */
	transfer_rows job;
	std::atomic<size_t> next; /* packet that nobody has taken yet */
	std::mutex lock;
	std::condition_variable begun, done;
	unsigned jobs;          /* that were begun */
	int working;            /* lanes that are at the last */
	bool closing, running;
};

/* ---- Packets: some whole rows, or a part of one ------------------------------------------ */

struct packet {
	size_t row, rows, first, bytes; /* of each of the rows, from byte `first` on */
};

static size_t
rows_of_packet(const transfer_rows &job)
{
	return job.bytes <= TRANSFER_PACKET ? TRANSFER_PACKET / job.bytes : 1;
}

static size_t
parts_of_row(const transfer_rows &job)
{
	return (job.bytes + TRANSFER_PACKET - 1) / TRANSFER_PACKET;
}

static size_t
packets(const transfer_rows &job)
{
	const size_t each = rows_of_packet(job);
	return (job.rows + each - 1) / each * parts_of_row(job);
}

static packet
packet_at(const transfer_rows &job, size_t k)
{
	const size_t each = rows_of_packet(job), parts = parts_of_row(job);
	const size_t row = k / parts * each, first = k % parts * TRANSFER_PACKET;
	const size_t rows = job.rows - row < each ? job.rows - row : each;
	const size_t bytes =
		job.bytes - first < TRANSFER_PACKET ? job.bytes - first : TRANSFER_PACKET;
	return { row, rows, first, bytes };
}

static bool
is_wanted(const transfer_rows &job, const packet &p)
{
	for (size_t i = 0; job.which && i < p.rows; ++i)
		if (job.which[p.row + i])
			return true;
	return !job.which;
}

/* Between the host's rows and pinned memory. */
static void
pass_on(const transfer_rows &job, const packet &p, char *pinned)
{
	for (size_t i = 0; i < p.rows; ++i) {
		char *const row = job.host + (p.row + i) * job.host_stride + p.first;
		if (job.which && !job.which[p.row + i])
			continue;
		if (job.to_host)
			memcpy(row, pinned + i * p.bytes, p.bytes);
		else
			memcpy(pinned + i * p.bytes, row, p.bytes);
	}
}

/* ---- Hands, that take one packet after the other ------------------------------------------- */

/* A lane's, or, the last, who waits for the copy. */
struct hand {
	transfer *t;
	int number;

	/* Of lanes none may ask the user. */
	bool
	goes_on() const
	{
		wsi_progress *const progress = t->job.progress;
		if (progress && number == HANDS - 1)
			wsi_progress_poll(progress);
		return !progress || !wsi_cancelled(progress);
	}

	/* The next packet that is wanted; one without rows: there is none. */
	packet
	take() const
	{
		for (size_t k; goes_on() && (k = t->next++) < packets(t->job);) {
			const packet p = packet_at(t->job, k);
			if (is_wanted(t->job, p))
				return p;
		}
		return {};
	}

	char *
	half(int i) const
	{
		return t->pinned + (number * 2 + i) * TRANSFER_PACKET;
	}

	/* Between pinned memory and the device's rows, when the device comes to it. */
	cudaError_t
	send(const packet &p, int i) const
	{
		const transfer_rows &job = t->job;
		char *const row = job.device + p.row * job.device_stride + p.first, *const mine =
											    half(i);
		char *const to = job.to_host ? mine : row, *const from = job.to_host ? row : mine;
		const size_t to_stride = job.to_host ? p.bytes : job.device_stride;
		const size_t from_stride = job.to_host ? job.device_stride : p.bytes;
		/* One row may be longer than the driver would step. */
		const cudaError_t error =
			p.rows == 1
				? cudaMemcpyAsync(to, from, p.bytes, cudaMemcpyDefault, t->stream)
				: cudaMemcpy2DAsync(to, to_stride, from, from_stride, p.bytes,
		                                    p.rows, cudaMemcpyDefault, t->stream);
		return error == cudaSuccess ? cudaEventRecord(t->copied[number][i], t->stream)
		                            : error;
	}

	cudaError_t
	wait(int i) const
	{
		return cudaEventSynchronize(t->copied[number][i]);
	}
};

/* While a packet is passed on, the next one comes. */
static cudaError_t
copy_to_host(const hand &h)
{
	packet last = {};
	for (int half = 0;; half = 1 - half) {
		const packet p = h.take();
		cudaError_t error = p.rows > 0 ? h.send(p, half) : cudaSuccess;
		if (last.rows > 0 && error == cudaSuccess)
			error = h.wait(1 - half);
		if (last.rows > 0 && error == cudaSuccess)
			pass_on(h.t->job, last, h.half(1 - half));
		if (p.rows == 0 || error != cudaSuccess)
			return error;
		last = p;
	}
}

/* While a packet goes, the next one is made ready. */
static cudaError_t
copy_to_device(const hand &h)
{
	cudaError_t error = cudaSuccess;
	int half = 0;
	for (packet p; error == cudaSuccess && (p = h.take()).rows > 0; half = 1 - half) {
		error = h.wait(half);
		if (error == cudaSuccess) {
			pass_on(h.t->job, p, h.half(half));
			error = h.send(p, half);
		}
	}
	for (half = 0; half < 2 && error == cudaSuccess; ++half)
		error = h.wait(half);
	return error;
}

/* ---- The whole ----------------------------------------------------------------------------- */

/* Can the driver copy all rows at once? */
static bool
is_one_copy(const transfer *t, const transfer_rows &job)
{
	const size_t most = (size_t)t->most_stride;
	return !job.which && (job.rows == 1 ||
	                      (job.host_stride <= most && job.device_stride <= most));
}

/* What only the driver copies, or is as fast with: the caller's rows are in a device's memory, or
 * pinned, or they are few. */
static bool
is_for_driver(const transfer *t, const transfer_rows &job)
{
	const bool at_once = is_one_copy(t, job);
	cudaPointerAttributes there = {};
	if (cudaPointerGetAttributes(&there, job.host) != cudaSuccess)
		cudaGetLastError(); /* of no use to anybody else */
	return there.type == cudaMemoryTypeDevice || there.type == cudaMemoryTypeManaged ||
	       (at_once && (there.type != cudaMemoryTypeUnregistered ||
	                    job.bytes * job.rows <= TRANSFER_PACKET));
}

static cudaError_t
copy_by_driver(const transfer *t, const transfer_rows &job, cudaStream_t stream)
{
	if (!is_one_copy(t, job)) {
		cudaError_t error = cudaSuccess;
		for (size_t i = 0; i < job.rows && error == cudaSuccess; ++i) {
			const transfer_rows one = { job.host + i * job.host_stride,
				                    job.device + i * job.device_stride, 0, 0,
				                    job.bytes, 1, job.to_host, NULL, NULL };
			if (!job.which || job.which[i])
				error = copy_by_driver(t, one, stream);
		}
		return error;
	}
	char *const to = job.to_host ? job.host : job.device, *const from = job.to_host ? job.device
	                                                                                : job.host;
	const size_t to_stride = job.to_host ? job.host_stride : job.device_stride;
	const size_t from_stride = job.to_host ? job.device_stride : job.host_stride;
	return job.rows == 1 ? cudaMemcpyAsync(to, from, job.bytes, cudaMemcpyDefault, stream)
	                     : cudaMemcpy2DAsync(to, to_stride, from, from_stride, job.bytes,
	                                         job.rows, cudaMemcpyDefault, stream);
}

/* What a hand can take; the first has all that is the driver's. */
static cudaError_t
copy_some(transfer *t, int number)
{
	const hand h = { t, number };
	if (!is_for_driver(t, t->job))
		return t->job.to_host ? copy_to_host(h) : copy_to_device(h);
	if (number > 0)
		return cudaSuccess;
	const cudaError_t error = copy_by_driver(t, t->job, t->stream);
	return error == cudaSuccess ? cudaStreamSynchronize(t->stream) : error;
}

/* ---- Threads --------------------------------------------------------------------------------- */

static void
run_lane(transfer *t, int number)
{
	transfer_lane &lane = t->lane[number];
	const cudaError_t device = cudaSetDevice(t->device);
	std::unique_lock<std::mutex> guard(t->lock);
	for (unsigned seen = 0;;) {
		t->begun.wait(guard, [&] { return t->closing || t->jobs != seen; });
		if (t->closing)
			return;
		seen = t->jobs;
		guard.unlock();
		lane.error = device == cudaSuccess ? copy_some(t, number) : device;
		guard.lock();
		if (--t->working == 0)
			t->done.notify_all();
	}
}

cudaError_t
transfer_begin(transfer *t, const transfer_rows &job, cudaStream_t stream)
{
	cudaError_t error = cudaEventRecord(t->ready, stream);
	if (error == cudaSuccess)
		error = cudaStreamWaitEvent(t->stream, t->ready, 0);
	if (error != cudaSuccess)
		return error;
	const std::lock_guard<std::mutex> guard(t->lock);
	t->job = job;
	t->next = 0;
	t->working = TRANSFER_LANES;
	t->running = true;
	++t->jobs;
	t->begun.notify_all();
	return cudaSuccess;
}

cudaError_t
transfer_end(transfer *t)
{
	if (!t->running)
		return cudaSuccess;
	std::unique_lock<std::mutex> guard(t->lock);
	while (!t->done.wait_for(guard, PATIENCE, [&] { return t->working == 0; })) {
		guard.unlock(); /* the user may take long */
		if (t->job.progress)
			wsi_progress_poll(t->job.progress);
		guard.lock();
	}
	t->running = false;
	for (const transfer_lane &lane : t->lane)
		if (lane.error != cudaSuccess)
			return lane.error;
	return cudaSuccess;
}

cudaError_t
transfer_now(transfer *t, const transfer_rows &job, cudaStream_t stream)
{
	cudaError_t error;
	if (is_for_driver(t, job)) {
		error = copy_by_driver(t, job, stream);
		return error == cudaSuccess && job.to_host ? cudaStreamSynchronize(stream) : error;
	}
	error = transfer_begin(t, job, stream);
	if (error != cudaSuccess)
		return error;
	const cudaError_t mine = copy_some(t, HANDS - 1); /* rather than wait for threads to wake */
	error = transfer_end(t);
	return error == cudaSuccess ? mine : error;
}

/* ---- Life ---------------------------------------------------------------------------------- */

static cudaError_t
make_event(cudaEvent_t *event)
{
	return cudaEventCreateWithFlags(event, cudaEventDisableTiming);
}

static cudaError_t
start(transfer *t)
try {
	for (int i = 0; i < TRANSFER_LANES; ++i)
		t->lane[i].thread = std::thread(run_lane, t, i);
	return cudaSuccess;
} catch (const std::system_error &) {
	return cudaErrorMemoryAllocation;
}

cudaError_t
transfer_open(transfer **out, int device)
{
	transfer *t = *out = new (std::nothrow) transfer();
	if (!t)
		return cudaErrorMemoryAllocation;
	t->device = device;
	cudaError_t error = cudaDeviceGetAttribute(&t->most_stride, cudaDevAttrMaxPitch, device);
	if (error == cudaSuccess)
		error = cudaMallocHost((void **)&t->pinned, HANDS * 2 * TRANSFER_PACKET);
	if (error == cudaSuccess)
		error = cudaStreamCreateWithFlags(&t->stream, cudaStreamNonBlocking);
	if (error == cudaSuccess)
		error = make_event(&t->ready);
	for (int i = 0; i < 2 * HANDS && error == cudaSuccess; ++i)
		error = make_event(&t->copied[i / 2][i % 2]);
	if (error == cudaSuccess)
		error = start(t);
	if (error != cudaSuccess) {
		transfer_close(t);
		*out = NULL;
	}
	return error;
}

void
transfer_close(transfer *t)
{
	if (!t)
		return;
	transfer_end(t);
	{
		const std::lock_guard<std::mutex> guard(t->lock);
		t->closing = true;
		t->begun.notify_all();
	}
	for (transfer_lane &lane : t->lane)
		if (lane.thread.joinable())
			lane.thread.join();
	for (const auto &halves : t->copied)
		for (const cudaEvent_t event : halves)
			if (event)
				cudaEventDestroy(event);
	if (t->ready)
		cudaEventDestroy(t->ready);
	if (t->stream)
		cudaStreamDestroy(t->stream);
	cudaFreeHost(t->pinned);
	delete t;
}
