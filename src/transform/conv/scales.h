/*
 * scales.h - scales of masks that are made, as exact ratios: an array, a list as text, or so
 * many from one to another.
 */
#ifndef WSI_TRANSFORM_CONV_SCALES_H
#define WSI_TRANSFORM_CONV_SCALES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wavesift/conv.h"

/* Digits to an integer of at most 15 of them; false: more.  *end: what follows. */
bool wsi_digits(const char *text, int64_t *value, int *count, const char **end);
/* "3", "0.75" or "3/4", in full. */
bool wsi_scale_parse(const char *text, ws_ratio *r);
/* Checks a list "1,3/2,7/3", and counts its scales.  WS_E_ARG says which is none. */
ws_status wsi_scales_count(const char *list, size_t *count);

/* The scales of o, which was resolved, one after the other. */
typedef struct wsi_scales {
	const ws_conv_opts *o;
	size_t i;
	const char *rest;       /* of the list; NULL: none */
} wsi_scales;

wsi_scales wsi_scales_of(const ws_conv_opts *o);
/* WS_E_ARG where numerator or denominator are too large. */
ws_status wsi_scale_next(wsi_scales *at, ws_ratio *s);

/* Makes the list of o, array or text, text that is the caller's to free(), so that options tell it
 * whole when what was borrowed is gone.  Scales of an array were taken before.  NULL: o has no
 * list.  WS_E_NOMEM. */
ws_status wsi_scales_keep(ws_conv_opts *o, char **kept);

#endif
