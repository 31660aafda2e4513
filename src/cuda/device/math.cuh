/*
 * math.cuh - src/math for both element types, as overloads, and what kernels
 * need to know of a type.
 */
#ifndef WSI_CUDA_MATH_CUH
#define WSI_CUDA_MATH_CUH

#include <math.h>

#include "math/boundary.h"
#include "math/marks.h"
#include "math/stop.h"

#define TEMPLATE "math/cubic.h"
#include "math/overloads.h"
#define TEMPLATE "math/envelope.h"
#include "math/overloads.h"
#define TEMPLATE "math/slopes.h"
#include "math/overloads.h"
#define TEMPLATE "math/spline.h"
#include "math/overloads.h"
#undef NATURAL_COUPLING
#undef NATURAL_CHORD

/* Shared memory that a block has at most, in bytes, on cards of that compute capability (7.5, 8.x);
 * of later ones no bound is known. */
constexpr size_t
most_shared_of(int major)
{
	return major < 8 ? (size_t)64 << 10 : major < 9 ? (size_t)163 << 10 : ~(size_t)0;
}

/* Numbers that are loaded and stored together. */
template <class T> struct alignas(2 * sizeof(T)) two { T x, y; };
template <class T> struct alignas(16) four { T x, y, z, w; };

template <class T> struct real {
	static constexpr bool F64 = sizeof(T) == 8;
	/* Of the solver, math/spline.h. */
	static constexpr int STEPS = F64 ? WSI_PCR_STEPS_64 : WSI_PCR_STEPS_32;
	static constexpr int TERMS = F64 ? WSI_NEUMANN_TERMS_64 : WSI_NEUMANN_TERMS_32;
	static constexpr int STRIDE = 1 << STEPS, REACH = STRIDE - 1 + TERMS * STRIDE;
	static constexpr T NATURAL_COUPLING = (T)-0.5, NATURAL_CHORD = (T)1.5;
};

#endif
