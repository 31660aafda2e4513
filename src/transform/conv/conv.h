/* conv.h - convolution with many masks: what its row shares with its plan, masks and options. */
#ifndef WSI_TRANSFORM_CONV_H
#define WSI_TRANSFORM_CONV_H

#include "cpu/conv/conv_take.h"
#include "cpu/conv/oversample.h"
#include "ops/conv_job.h"
#include "transform/options.h"
#include "transform/transform.h"
#include "wavesift/conv.h"

typedef struct wsi_conv_plan {
	ws_plan base;
	ws_conv_opts o;         /* resolved; what was borrowed is NULL */
	wsi_conv_bank bank;
	wsi_conv_spectra spectra;
	uint8_t *method;        /* [mask] ws_conv_method */
	size_t of_method[WS_CONV_OVERLAP_SAVE + 1]; /* masks */
	bool complex;
	wsi_conv conv;
	size_t masks;
	size_t shortest, longest; /* taps */
	double *scales;         /* [mask]; NULL: not all have one */
	char *error_values[WS_ERRORS]; /* likewise */
	wsi_conv_job gpu;       /* where one works */
	int16_t *exponents;     /* [mask] as of wsi_conv; NULL: not needed */
	double *largest;        /* [mask] taps, likewise */
	ws_masks *made;         /* laid out, whose values are made when they are needed; NULL: they
	                           were given, and are there */
	bool given;             /* by the caller, until keep() */
	int makers;             /* threads that make them */
	wsi_conv_form *forms;   /* [mask] where the GPU makes them; or NULL */
	wsi_oversample over;    /* if o.oversample > 1 */
	double fs;              /* of the samples that masks meet */
} wsi_conv_plan;

static inline wsi_conv_plan *
wsi_conv_plan_of(const ws_plan *plan)
{
	return (wsi_conv_plan *)plan;
}

/* As in wsi_transform (conv/plan.c). */
ws_status wsi_conv_resolve(ws_plan *plan, const void *asked);
ws_status wsi_conv_keep(ws_plan *plan, const void *asked);
ws_status wsi_conv_fill(ws_plan *plan, wsi_progress *progress);
void wsi_conv_empty(ws_plan *plan);
void wsi_conv_release(ws_plan *plan);

/* Options whose value is a file with masks; programs read it. */
#define WSI_MASKS "masks"
#define WSI_KERNEL "interpolation-kernel"

extern const ws_option *const wsi_conv_options[];
extern const wsi_need wsi_conv_needs[];

/* Checks o and fills its defaults. */
ws_status wsi_conv_resolve_options(ws_conv_opts *o);

/* Lays out the masks of o->mask_formula or o->mask_expression at its scales, or of o->masks, whose
 * lengths were checked: all but values.  WS_E_ARG names the option; WS_E_NOMEM.  Freed by
 * wsi_masks_free(). */
ws_status wsi_masks_lay_out(ws_masks **masks, const ws_conv_opts *o, double fs);
/* The same with values in f64; those of o->masks were checked. */
ws_status wsi_masks_make(ws_masks **masks, const ws_conv_opts *o, double fs, const wsi_ops *ops,
                         int threads);
void wsi_masks_free(ws_masks *masks);
/* An error (WS_ERROR_AMPLITUDE ..) of each of such masks, which has one, as text to free();
 * NULL: no memory. */
char *wsi_masks_error_text(const ws_masks *masks, int kind);

/* What takes taps from a source, with *bad as of wsi_mask_walk_all(). */
typedef ws_status wsi_masks_user(void *arg, const wsi_mask_source *source, size_t *bad);
/* Has user() take the taps of masks that were laid out from o, or are like given ones.  WS_E_ARG
 * says at which tap an expression is not finite. */
ws_status wsi_masks_with_source(const ws_masks *masks, const ws_conv_opts *o,
                                const ws_masks *given, double fs, const wsi_ops *ops, int threads,
                                wsi_masks_user *user, void *arg);

/* The forms of masks by formula, [mask], by which a device makes them; to free().  WS_E_NOMEM. */
ws_status wsi_masks_forms(wsi_conv_form **forms, const ws_masks *masks);

#endif
