/*
 * errors.h - errors of an instrument as functions of scale or frequency, and what masks are
 * changed by so that responses are those without them.
 */
#ifndef WSI_TRANSFORM_CONV_ERRORS_H
#define WSI_TRANSFORM_CONV_ERRORS_H

#include <stdbool.h>
#include <stddef.h>

#include "wavesift/conv.h"

/* After this prefix an option has a value for each mask. */
#define WSI_EACH_MASK "masks:"
/* Numbers with commas, and nothing else? */
bool wsi_errors_are_values(const char *text);

/* What texts of options are checked by, as of ws_conv_opts; "" is fine.  WS_E_ARG says what is
 * needed. */
ws_status wsi_errors_check_amplitude(const char *text);
ws_status wsi_errors_check_timing(const char *text);
ws_status wsi_errors_check_jitter(const char *text);

/* How one mask is to be changed. */
typedef struct wsi_correction {
	double error[WS_ERRORS]; /* as they were told; 0 where there is none */
	double factor;          /* of its taps */
	double shift;           /* samples: its values are those at x + shift */
} wsi_correction;

/* The errors of options, as functions; by an expression, if one is. */
typedef struct wsi_errors wsi_errors;

/* Of so many masks, which wsi_errors_of() takes in their order.  o is borrowed as long as they.
 * WS_E_ARG, WS_E_UNSUPPORTED without muParser, WS_E_NOMEM; on
 * failure *e is NULL. */
ws_status wsi_errors_open(wsi_errors **e, const ws_conv_opts *o, double fs, size_t masks);
void wsi_errors_close(wsi_errors *e);

/* That of a mask of scale s (0: it has none) and frequency f, Hz (0: none); number: of the mask,
 * from 0, for messages.  WS_E_ARG where an error depends on what the mask has not, or is no gain
 * above 0, or a jitter leaves nothing. */
ws_status wsi_errors_of(wsi_correction *c, wsi_errors *e, double s, double f, size_t number);

/* Is one of them an expression? */
bool wsi_errors_by_expression(const ws_conv_opts *o);

bool wsi_errors_any(const ws_conv_opts *o);

#endif
