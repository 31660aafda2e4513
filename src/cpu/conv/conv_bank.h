/* conv_bank.h - a bank of masks as direct kernels want them, and what a convolution is of. */
#ifndef WSI_CPU_CONV_BANK_H
#define WSI_CPU_CONV_BANK_H

#include "base/element.h"
#include "base/pool.h"
#include "base/progress.h"
#include "ops/conv_ops.h"
#include "ops/io.h"
#include "ops/ops.h"

/* Rows that a kernel sums together; the shorter ones have zeros at both ends.  A row is a real
 * mask, or one of both parts of a complex one. */
typedef struct wsi_conv_group {
	int64_t d0, d1;         /* offsets of its taps, from the centres: d0 .. d1 - 1 */
	size_t taps;            /* in values: [d - d0][rows] */
	int rows;
	uint32_t mask[WSI_CONV_ROWS]; /* its place in the order in which they were given */
	uint8_t part[WSI_CONV_ROWS];  /* 0: real, 1: imaginary */
} wsi_conv_group;

/* Groups in the order of their lengths, shortest first; where masks come in parts, those of the
 * first part come first. */
typedef struct wsi_conv_bank {
	size_t masks;           /* in it */
	bool complex;
	ws_type type;           /* of values */
	size_t part;            /* masks of a part, or 0 */
	size_t longest;         /* taps */
	size_t groups;
	wsi_conv_group *group;
	size_t count;           /* of values */
	void *values;           /* NULL: laid out only */
	double cost;            /* cycles that an output takes, of all masks */
} wsi_conv_bank;

typedef struct wsi_conv_shaping {
	ws_type type;           /* that taps are to have: WS_F64, WS_F32 */
	ws_type rounded;        /* WS_F32: to which they are rounded first */
	ws_mask_rounding rounding;
	uint64_t seed;
	bool flip;
	size_t part;            /* masks of a part; 0: there are none */
	const uint8_t *method;  /* [mask] ws_conv_method */
	ws_narrow narrow;       /* 16-bit type to which taps are rounded first; 0: none */
	const int16_t *exponent; /* [mask] as of wsi_conv, if narrow */
} wsi_conv_shaping;

/* Lays out the masks whose method is WS_CONV_DIRECT, which may be none; of masks, lengths, type and
 * count are looked at.  WS_E_NOMEM; on failure nothing is left to free. */
ws_status wsi_conv_bank_lay_out(wsi_conv_bank *bank, const ws_masks *masks,
                                const wsi_conv_shaping *shaping);
void wsi_conv_bank_free(wsi_conv_bank *bank);

/* Is the number of masks in range, and is each of their lengths?  WS_E_ARG names the mask, from
 * 1. */
ws_status wsi_masks_check_lengths(const ws_masks *masks);
/* The same, and are all taps finite?  It names the tap, too. */
ws_status wsi_masks_check(const ws_masks *masks);

static inline bool
wsi_masks_complex(const ws_masks *masks)
{
	return wsi_type_complex(masks->type);
}

typedef struct wsi_conv {
	const wsi_ops *ops;     /* its type is that of the sums */
	const wsi_ops *samples; /* that of the signal and of the responses */
	bool complex;           /* masks are */
	const wsi_conv_bank *bank; /* masks by the direct method */
	const struct wsi_conv_spectra *spectra; /* the others */
	ws_sums sums;
	int accumulators;       /* 1: sums as above; more: by magnitude */
	ws_narrow narrow;       /* 16-bit type that samples are rounded to; 0: none */
	const int16_t *exponent; /* [mask] 2^e is above the mask's largest tap; of both if any */
	size_t channels, n;     /* samples of each */
	int64_t first, every;   /* outputs: first + j every */
	size_t outputs;
	int threads;
} wsi_conv;

#endif
