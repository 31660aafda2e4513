/* conv.h - convolution with many masks: what its row (conv.c) shares with its masks and options. */
#ifndef WSI_TRANSFORM_CONV_H
#define WSI_TRANSFORM_CONV_H

#include "algo/conv_fft.h"
#include "algo/oversample.h"
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
	char *scale_list;       /* of o; or NULL */
	char *error_values[WS_ERRORS]; /* likewise */
	wsi_conv_gpu_job gpu;   /* where one works; its lines: */
	wsi_conv_line *lines;
	int16_t *exponents;     /* [mask] as of wsi_conv; NULL: not needed */
	wsi_conv_form *forms;   /* [mask] where the GPU makes them; or NULL */
	wsi_oversample over;    /* if o.oversample > 1 */
	double fs;              /* of the samples that masks meet */
} wsi_conv_plan;

/* Options whose value is a file with masks; programs read it. */
#define WSI_MASKS "masks"
#define WSI_KERNEL "interpolation-kernel"

extern const ws_option *const wsi_conv_options[];

/* Checks o and fills its defaults. */
ws_status wsi_conv_resolve_options(ws_conv_opts *o);

/* Makes the masks of o->formula or o->expression at its scales, or copies o->masks, which were
 * checked, to f64.  memory: bytes that they may take; 0: any.
 * WS_E_ARG names the option; WS_E_NOMEM.  Freed by wsi_masks_free(). */
ws_status wsi_masks_make(ws_masks **masks, const ws_conv_opts *o, double fs, const wsi_ops *ops,
                         int threads, size_t memory);
void wsi_masks_free(ws_masks *masks);
/* An error (WS_ERROR_AMPLITUDE ..) of each of such masks, which has one, as text to free();
 * NULL: no memory. */
char *wsi_masks_error_text(const ws_masks *masks, int kind);

/* The same of a formula without values, which the device makes by forms, [mask]; forms are the
 * caller's to free(). */
ws_status wsi_masks_lay_out(ws_masks **masks, wsi_conv_form **forms, const ws_conv_opts *o,
                            double fs);

#endif
