/*
 * cut.h - how a convolution is cut into portions that fit the device's memory.
 *
 * A portion has some outputs of some channels and of a range of the masks.  Responses for the host
 * lie in one of two slabs, and while the host fetches one, the other is filled.
 */
#ifndef WSI_CUDA_CONV_CUT_H
#define WSI_CUDA_CONV_CUT_H

#include "cuda/conv/direct.h"
#include "cuda/conv/spectra.h"

/* Channels of a portion, at most: rows of a grid. */
constexpr size_t CONV_MOST_CHANNELS = 4096;

struct conv_cut {
	direct_kind kind;
	size_t channels, masks, outputs; /* of a portion */
	size_t lines;            /* of an execution */
	long long d0, d1;        /* offsets of all lines */
	size_t samples;          /* of a channel, that a portion reads */
	size_t values;           /* of all masks, or where they do not fit, of a range */
	bool resident;           /* values of all masks are there at once */
	int blocks, levels;      /* of direct_launch: of threads, of the tree */
	size_t partial;          /* sums of branches, at most */
	std::vector<spectra_class> classes; /* of lines by transforms; lines: of a range, at most */
	std::vector<spectra_shape> shapes;
	/* Offsets in the memory to work in. */
	size_t flags, largest, stack, sums, spectra, x, slab[2];
	size_t work;             /* bytes of what arrays in the device's memory need of that */
	size_t bytes;            /* with them */
	size_t rows, groups, forms, kernel; /* offsets in the memory of tables; values are at 0 */
	size_t tables;           /* bytes of that */
};

/* What kernels report: an item's number, the first sample that is not finite, the first response;
 * channel << 32 | sample or mask. */
struct conv_flags { unsigned long long next, bad, high; };

/* Masks of executions: first .. first + count - 1, `part` at a time. */
struct conv_masks { size_t first, count, part; };

/* Chooses the largest portions that fit `most` bytes; where none does, c->bytes + c->tables are the
 * least.  WS_E_BACKEND. */
ws_status conv_choose_cut(wsi_device *d, const wsi_conv_job *j, conv_masks masks, size_t most,
                          conv_cut *c, wsi_why *why);

/* Samples low .. high - 1 that outputs o0 .. o0 + count - 1 take. */
void conv_samples_of(const conv_cut &c, const wsi_conv_job *j, size_t o0, size_t count,
                     long long *low, long long *high);

/* The class of a line by transforms, without its lines; and its number among others, or theirs. */
spectra_class conv_class_of(const wsi_conv_job *j, const wsi_conv_line &line);
size_t conv_find_class(const std::vector<spectra_class> &classes, const spectra_class &c);

inline size_t
conv_size_of(ws_type type)
{
	return type == WS_F32 ? 4 : 8;
}

/* Bytes of a response. */
inline size_t
conv_element(const wsi_conv_job *j)
{
	return conv_size_of(j->samples) * (j->complex ? 2 : 1);
}

/* Does it matter how large a channel's samples are? */
inline bool
conv_needs_largest(const wsi_conv_job *j)
{
	return j->accumulators > 1 || j->narrow;
}

/* Of weights of new samples. */
inline size_t
conv_kernel_bytes(const wsi_conv_job *j)
{
	return j->over.kernel ? (size_t)(j->over.taps * j->over.factor) * sizeof(double) : 0;
}

inline direct_kind
conv_kind(const wsi_conv_job *j, const cudaDeviceProp &facts)
{
	const bool dense = j->every == 1;
	return { j->samples, j->sums, j->carried, dense, j->accumulators,
	         j->sums == WS_F64 && dense && !j->carried && j->accumulators == 1 &&
	         direct_tensor(facts) };
}

inline size_t
conv_length(const wsi_conv_line &line)
{
	return (size_t)(line.d1 - line.d0);
}

#endif
