/*
 * conv_take.h - the taps of masks, from where they are or are made, into the values of a
 * convolution: a few at a time, on several threads, as long as the user wants more.
 */
#ifndef WSI_CPU_CONV_TAKE_H
#define WSI_CPU_CONV_TAKE_H

#include "cpu/conv/conv_fft.h"

/* That a source is asked for at once, at most. */
#define WSI_TAPS ((size_t)8192)

/* Where taps come from. */
typedef struct wsi_mask_source {
	/* Taps first .. first + count - 1 of a mask, complex ones in turn; false: there are none
	 * that are finite.  thread: of those that ask at one time. */
	bool (*taps)(const void *of, int thread, size_t mask, size_t first, size_t count,
	             double *to);
	const void *of;
	int threads;            /* that may ask */
} wsi_mask_source;

/* Masks as they are made: their number and lengths, real or complex. */
typedef struct wsi_mask_walk {
	const ws_masks *masks;
	const wsi_mask_source *source;
	/* Does something with taps first .. of a mask; false: they are not what they must be.
	 * Called by several threads, never twice at a time for one mask. */
	bool (*put)(void *arg, size_t mask, size_t first, size_t count, const double *taps);
	void *arg;
	/* Taps of a mask that are asked for, *first .. *end - 1; NULL: all. */
	void (*range)(const void *arg, size_t mask, size_t *first, size_t *end);
} wsi_mask_walk;

/* Puts all taps.  WS_E_NOMEM; WS_E_CANCELLED; WS_E_ARG, without words, where one cannot be had or
 * put, of which *bad is the first mask. */
ws_status wsi_mask_walk_all(const wsi_mask_walk *walk, wsi_progress *progress, size_t *bad);

/* 2^e above the largest tap of each mask.  As wsi_mask_walk_all(). */
ws_status wsi_conv_exponents(int16_t *exponents, double *largest, const ws_masks *masks,
                             const wsi_mask_source *source, wsi_progress *progress, size_t *bad);

/* Makes the values of both, which were laid out.  As wsi_mask_walk_all(); on failure there are
 * none, and where a tap is more than f32 holds, words say so and *bad is SIZE_MAX. */
ws_status wsi_conv_take(wsi_conv_bank *bank, wsi_conv_spectra *spectra, const ws_masks *masks,
                        const wsi_conv_shaping *shaping, const wsi_mask_source *source,
                        wsi_progress *progress, size_t *bad);
/* Bytes of the values, and *making of what they are made in. */
size_t wsi_conv_take_bytes(const wsi_conv_bank *bank, const wsi_conv_spectra *spectra,
                           const ws_masks *masks, int threads, size_t *making);
/* Frees the values. */
void wsi_conv_drop(wsi_conv_bank *bank, wsi_conv_spectra *spectra);

#endif
