/*
 * scales.h - scales of masks that are made, as exact ratios: an array, or so many from one to
 * another.
 */
#ifndef WSI_TRANSFORM_CONV_SCALES_H
#define WSI_TRANSFORM_CONV_SCALES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/kept.h"
#include "base/line.h"
#include "wavesift/conv.h"

/* Digits to an integer of at most 15 of them; false: more.  *end: what follows. */
bool wsi_digits(const char *text, int64_t *value, int *count, const char **end);
/* "3", "0.75" or "3/4", in full. */
bool wsi_scale_parse(const char *text, ws_ratio *r);
/* The scales of a list "1,3/2,7/3", to be freed.  WS_E_ARG says which is none; WS_E_NOMEM. */
ws_status wsi_scales_parse(const char *list, ws_ratio **scales, size_t *count);
/* As such a list. */
void wsi_scales_tell(const ws_ratio *scales, size_t count, wsi_line *to);

/* The scales of o, which was resolved, one after the other. */
typedef struct wsi_scales {
	const ws_conv_opts *o;
	size_t i;
} wsi_scales;

wsi_scales wsi_scales_of(const ws_conv_opts *o);
/* WS_E_ARG where numerator or denominator are too large. */
ws_status wsi_scale_next(wsi_scales *at, ws_ratio *s);

/* Makes scales of o a copy that is kept, so that options tell them when what was borrowed is gone.
 * WS_E_NOMEM. */
ws_status wsi_scales_keep(ws_conv_opts *o, wsi_kept *kept);

#endif
