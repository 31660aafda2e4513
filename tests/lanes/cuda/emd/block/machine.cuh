/*
 * machine.cuh - what src/cuda/emd/block/machine.cuh has, on the CPU: an address in shared memory is any.
 */
#ifndef WSI_CUDA_MACHINE_CUH
#define WSI_CUDA_MACHINE_CUH

#include "cuda/device/math.cuh"

/* Bytes are decided when it runs: tests play several cards. */
#define WHERE_SHARED_FITS(...)                                                              \
	if ((__VA_ARGS__) > lanes::card.code)                                               \
		lanes::card.missing = true;                                                 \
	else

using shared_place = uintptr_t;

template <class P> P *opaque(P *p) { return p; }

inline shared_place shared_address(const void *p) { return (shared_place)p; }

template <class T> void store_shared(shared_place at, T v) { *(T *)at = v; }
inline int load_shared(shared_place at, int) { return *(const int *)at; }
template <class T> four<T> load_shared(shared_place at, T) { return *(const four<T> *)at; }
template <class T> two<T> load_two(shared_place at, T) { return *(const two<T> *)at; }
template <class T> T load_one(shared_place at, T) { return *(const T *)at; }

inline void tell_host(unsigned long long *p, unsigned long long v) { *p = v; }

inline void release_one(unsigned *p) { __atomic_fetch_add(p, 1u, __ATOMIC_RELEASE); }

inline unsigned arrive(unsigned *p) { return __atomic_fetch_add(p, 1u, __ATOMIC_ACQ_REL) + 1; }

inline unsigned
acquire(const unsigned *p)
{
	lanes::current->polls = true;
	lanes::yield();
	return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

inline unsigned
await_least(const unsigned *p, unsigned least)
{
	unsigned now;
	while ((now = acquire(p)) < least) {}
	return now;
}

#endif
