/*
 * real.h - how the arithmetic is written once for every element type.
 *
 * The headers of this folder are templates.  Whoever includes one defines
 *     REAL        float, double, or a SIMD vector of either
 *     REAL_BITS   32 or 64
 *     FN(name)    the name of this instance, e.g. name##_f64
 *     FMA(a,b,c)  a * b + c rounded once
 * and compiles with contraction off, so that gcc and nvcc make the same bits
 * of the same source.  Division and square root are correctly rounded.
 */
#ifndef WSI_MATH_REAL_H
#define WSI_MATH_REAL_H

#include <stdint.h>

#ifdef __CUDACC__
#define WSI_FN static __host__ __device__ __forceinline__
#else
#define WSI_FN static inline __attribute__((always_inline, unused))
#endif

/*
 * Time in ticks of half a sample.  The middle of a plateau of even length
 * lies between two samples; in ticks it is still an integer, and splines do
 * not care for the unit of time.
 */
#define WSI_TICKS 2

/* Changes whenever the bits of any result may change. */
#define WSI_NUMERICS_VERSION 4

/* Solver of C2 splines: steps of cyclic reduction, then Neumann terms; see
 * spline.h and docs/decisions/0001-spline-solver.md. */
#define WSI_PCR_STEPS_64 4
#define WSI_PCR_STEPS_32 3
#define WSI_NEUMANN_TERMS_64 2
#define WSI_NEUMANN_TERMS_32 3

#endif
