/*
 * split.h - lengths of transforms that are done in two passes, each in shared memory.
 */
#ifndef WSI_CUDA_CWT_SPLIT_H
#define WSI_CUDA_CWT_SPLIT_H

#include <stddef.h>

/* One pass: transforms of `n` points, by stages of the given radices; a block works on 2^columns of
 * them. */
struct cwt_pass {
	unsigned short n;
	unsigned char stages, columns;
	unsigned char radix[6];
};

/* n = first.n second.n */
struct cwt_split {
	cwt_pass first, second;
};

constexpr int CWT_PASS_THREADS = 256;
constexpr size_t CWT_PASS_SHARED = 226 << 10; /* bytes of a block, at most; two fit with half */

/* bytes: of a complex number.  False: no two factors fit. */
bool cwt_split_of(size_t n, size_t bytes, cwt_split *split);

/* A pass of one transform of n points.  False: n has other factors, or is too long. */
bool cwt_pass_alone(size_t n, size_t bytes, cwt_pass *pass);

/* Both passes of a grid of m points in single precision (fold.cu); complex numbers between them. */
constexpr size_t CWT_FOLD_LEAST = 1024, CWT_FOLD_MOST = 1 << 23; /* points: a grid's, a signal's */
bool cwt_fold_of(size_t m, cwt_split *split);
size_t cwt_fold_room(const cwt_split &split);
inline size_t
cwt_fold_roots(const cwt_split &split)
{
	return (size_t)split.first.n + 2 * (size_t)split.second.n;
}

/* Shared memory of a block: roots, two rooms. */
size_t cwt_pass_bytes(const cwt_pass &pass, size_t bytes);

#endif
