/* complex.cuh - complex numbers of kernels, as two<T>: x real, y imaginary. */
#ifndef WSI_CUDA_COMPLEX_CUH
#define WSI_CUDA_COMPLEX_CUH

#include "cuda/device/math.cuh"

template <class T>
__device__ __forceinline__ two<T>
sum_of(two<T> a, two<T> b)
{
	return { a.x + b.x, a.y + b.y };
}

template <class T>
__device__ __forceinline__ two<T>
difference(two<T> a, two<T> b)
{
	return { a.x - b.x, a.y - b.y };
}

/* i times a */
template <class T>
__device__ __forceinline__ two<T>
quarter(two<T> a)
{
	return { -a.y, a.x };
}

template <class T>
__device__ __forceinline__ two<T>
times(two<T> a, two<T> b)
{
	return { fma(a.x, b.x, -(a.y * b.y)), fma(a.x, b.y, a.y * b.x) };
}

#endif
