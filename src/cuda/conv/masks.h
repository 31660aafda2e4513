/*
 * masks.h - masks of a formula made on the device (math/masks.h), where they are summed: they never
 * cross the link.
 */
#ifndef WSI_CUDA_CONV_MASKS_H
#define WSI_CUDA_CONV_MASKS_H

#include "cuda/conv/direct.h"

/* How taps become values. */
struct mask_shape {
	ws_type values;          /* WS_F64 or WS_F32 */
	bool rounded;            /* to f32 first */
	ws_mask_rounding rounding;
	uint64_t seed;
	bool flip;
	int parts;               /* of a tap */
};

/* Fills the values of `count` rows, base the first of the memory that row.taps counts from; forms:
 * [mask], as rows name them; longest: taps of a row.  Twin: mask_values() of ops/conv_rows.h, then
 * rounding_tap() of math/rounding.h: the same bits. */
cudaError_t masks_fill(const mask_shape &shape, const direct_row *rows, size_t count,
                       size_t longest, const wsi_conv_form *forms, void *base,
                       cudaStream_t stream);

#endif
