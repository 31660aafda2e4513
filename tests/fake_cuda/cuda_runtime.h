/*
 * cuda_runtime.h - as much of CUDA's runtime as src/cuda/device/transfer.cu asks for, on the CPU.
 *
 * A stream is a thread that carries out one thing after the other, later than it was told to, so
 * that who does not wait for a copy does not see it.
 */
#ifndef FAKE_CUDA_RUNTIME_H
#define FAKE_CUDA_RUNTIME_H

#include <stdlib.h>
#include <string.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

enum cudaError_t { cudaSuccess, cudaErrorInvalidValue, cudaErrorMemoryAllocation };
enum cudaMemcpyKind { cudaMemcpyDefault };
enum cudaDeviceAttr { cudaDevAttrMaxPitch };
enum cudaMemoryType {
	cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice, cudaMemoryTypeManaged
};
enum { cudaEventDisableTiming = 1, cudaStreamNonBlocking = 1 };
struct cudaPointerAttributes { cudaMemoryType type; };

/* What a test sets and reads. */
struct fake_cuda {
	int most_stride = 1 << 20;
	std::atomic<int> copies, copies_left; /* made; until one fails, if not negative */
	const void *pinned = NULL;            /* taken for pinned memory */
	const void *on_device = NULL;         /* .. a device's: rows that begin there or later */
};
inline fake_cuda fake;

/* Outlives the event: a stream may still have to come to it. */
struct fake_moment {
	std::mutex lock;
	std::condition_variable changed;
	long recorded = 0, reached = 0;
};
struct fake_event { std::shared_ptr<fake_moment> moment = std::make_shared<fake_moment>(); };
typedef fake_event *cudaEvent_t;

struct fake_stream {
	std::mutex lock;
	std::condition_variable more, none;
	std::deque<std::function<void()>> work;
	bool closing = false, busy = false;
	int done = 0;
	std::thread thread;

	fake_stream() : thread([this] { run(); }) {}

	~fake_stream()
	{
		{
			const std::lock_guard<std::mutex> guard(lock);
			closing = true;
			more.notify_all();
		}
		thread.join();
	}

	void
	run()
	{
		std::unique_lock<std::mutex> guard(lock);
		for (;;) {
			more.wait(guard, [this] { return closing || !work.empty(); });
			if (work.empty())
				return;
			const std::function<void()> next = work.front();
			work.pop_front();
			busy = true;
			guard.unlock();
			if (++done % 8 == 0)
				std::this_thread::sleep_for(std::chrono::microseconds(100));
			next();
			guard.lock();
			busy = false;
			if (work.empty())
				none.notify_all();
		}
	}

	cudaError_t
	put(std::function<void()> what)
	{
		const std::lock_guard<std::mutex> guard(lock);
		work.push_back(what);
		more.notify_all();
		return cudaSuccess;
	}
};
typedef fake_stream *cudaStream_t;

inline cudaError_t
cudaSetDevice(int)
{
	return cudaSuccess;
}

inline cudaError_t
cudaGetLastError()
{
	return cudaSuccess;
}

inline cudaError_t
cudaDeviceGetAttribute(int *value, cudaDeviceAttr, int)
{
	*value = fake.most_stride;
	return cudaSuccess;
}

inline cudaError_t
cudaPointerGetAttributes(cudaPointerAttributes *a, const void *p)
{
	a->type = fake.on_device && p >= fake.on_device ? cudaMemoryTypeDevice
	          : p == fake.pinned ? cudaMemoryTypeHost : cudaMemoryTypeUnregistered;
	return cudaSuccess;
}

inline cudaError_t
cudaMallocHost(void **p, size_t bytes)
{
	*p = malloc(bytes);
	return *p ? cudaSuccess : cudaErrorMemoryAllocation;
}

inline cudaError_t
cudaFreeHost(void *p)
{
	free(p);
	return cudaSuccess;
}

inline cudaError_t
cudaStreamCreateWithFlags(cudaStream_t *s, int)
{
	*s = new fake_stream;
	return cudaSuccess;
}

inline cudaError_t
cudaStreamDestroy(cudaStream_t s)
{
	delete s;
	return cudaSuccess;
}

inline cudaError_t
cudaStreamSynchronize(cudaStream_t s)
{
	std::unique_lock<std::mutex> guard(s->lock);
	s->none.wait(guard, [s] { return s->work.empty() && !s->busy; });
	return cudaSuccess;
}

inline cudaError_t
cudaEventCreateWithFlags(cudaEvent_t *e, int)
{
	*e = new fake_event;
	return cudaSuccess;
}

inline cudaError_t
cudaEventDestroy(cudaEvent_t e)
{
	delete e;
	return cudaSuccess;
}

inline void
fake_wait(const std::shared_ptr<fake_moment> &m, long until)
{
	std::unique_lock<std::mutex> guard(m->lock);
	m->changed.wait(guard, [&] { return m->reached >= until; });
}

inline long
fake_recorded(const std::shared_ptr<fake_moment> &m)
{
	const std::lock_guard<std::mutex> guard(m->lock);
	return m->recorded;
}

inline cudaError_t
cudaEventRecord(cudaEvent_t e, cudaStream_t s)
{
	const std::shared_ptr<fake_moment> m = e->moment;
	long number;
	{
		const std::lock_guard<std::mutex> guard(m->lock);
		number = ++m->recorded;
	}
	return s->put([=] {
		const std::lock_guard<std::mutex> guard(m->lock);
		m->reached = number;
		m->changed.notify_all();
	});
}

inline cudaError_t
cudaEventSynchronize(cudaEvent_t e)
{
	fake_wait(e->moment, fake_recorded(e->moment));
	return cudaSuccess;
}

inline cudaError_t
cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, int)
{
	const std::shared_ptr<fake_moment> m = e->moment;
	const long until = fake_recorded(m);
	return s->put([=] { fake_wait(m, until); });
}

inline cudaError_t
cudaMemcpy2DAsync(void *to, size_t to_stride, const void *from, size_t from_stride, size_t bytes,
                  size_t rows, cudaMemcpyKind, cudaStream_t s)
{
	const size_t most = (size_t)fake.most_stride;
	if (bytes > to_stride || bytes > from_stride || to_stride > most || from_stride > most ||
	    fake.copies_left-- == 0)
		return cudaErrorInvalidValue;
	++fake.copies;
	return s->put([=] {
		for (size_t i = 0; i < rows; ++i)
			memcpy((char *)to + i * to_stride, (const char *)from + i * from_stride,
			       bytes);
	});
}

inline cudaError_t
cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind, cudaStream_t s)
{
	if (fake.copies_left-- == 0)
		return cudaErrorInvalidValue;
	++fake.copies;
	return s->put([=] { memcpy(to, from, bytes); });
}

#endif
