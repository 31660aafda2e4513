/*
 * expression.h - masks, and errors, by an expression of the user, evaluated by muParser on the
 * host.
 *
 * The library is opened when an expression is to be evaluated.  What it computes with is the
 * machine's libm: bits may differ between machines.
 */
#ifndef WSI_TRANSFORM_CONV_EXPRESSION_H
#define WSI_TRANSFORM_CONV_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wavesift/conv.h"

typedef struct wsi_expression wsi_expression;

/* The expressions of o, with its constants; fs in Hz.  An evaluator is used by one thread at a
 * time.  WS_E_ARG where one does not parse or a name is unknown, WS_E_UNSUPPORTED without muParser,
 * WS_E_NOMEM.  On failure *e is NULL. */
ws_status wsi_expression_create(wsi_expression **e, const ws_conv_opts *o, double fs);
void wsi_expression_destroy(wsi_expression *e);

/* values[count] at x + shift, x = from, from + 1 .., and scale s, complex ones in turn.  Returns
 * how many come before the first that is not finite, with *bad its value; count: all are. */
size_t wsi_expression_mask(wsi_expression *e, double s, int64_t from, size_t count, double shift,
                           double *values, double *bad);

/* An expression of s and f alone, with the same constants; option: its name, for messages.  As of
 * wsi_expression_create(). */
ws_status wsi_expression_of_mask(wsi_expression **e, const char *option, const char *text,
                                 const char *constants, double fs);
/* Does its value depend on the scale, or on the frequency? */
bool wsi_expression_needs_scale(const wsi_expression *e);
bool wsi_expression_needs_frequency(const wsi_expression *e);
/* At scale s and f Hz; NaN where it cannot be told. */
double wsi_expression_value(wsi_expression *e, double s, double f);

#endif
