/*
 * conv_fft.h - convolution by transforms (ops/fft.h), overlap-save: the masks, and the work.
 *
 * Masks share a class by the width W of their offsets, -W / 2 .. W / 2 - 1.  A class cuts the
 * outputs into blocks of B and transforms M >= B + W - 1 samples for each.  Two blocks are one
 * complex signal where masks are real.  The bits of a mask's responses depend on the mask, the
 * signal and the outputs, not on other masks, on threads or on the machine.
 */
#ifndef WSI_CPU_CONV_FFT_H
#define WSI_CPU_CONV_FFT_H

#include "cpu/conv/conv_bank.h"
#include "ops/cwt_ops.h"

#define WSI_CONV_CLASSES 64

typedef struct wsi_conv_class {
	size_t width, block, length; /* W, B, M */
	wsi_fft *fft;
} wsi_conv_class;

/* A mask that goes by transforms. */
typedef struct wsi_conv_row {
	uint32_t mask;          /* as given */
	int class;
	int64_t d0, d1;         /* offsets of its taps that meet samples */
	size_t taps;            /* in values: [part][d - d0] */
} wsi_conv_row;

struct wsi_conv_spectra {
	int classes;
	wsi_conv_class class[WSI_CONV_CLASSES];
	size_t rows;
	wsi_conv_row *row;      /* by part of the masks, then by class, then as given */
	size_t count;           /* of values */
	void *values;           /* NULL: laid out only */
};
typedef struct wsi_conv_spectra wsi_conv_spectra;

/* What is to be convolved, as far as the choice of methods depends on it. */
typedef struct wsi_conv_extent {
	size_t n;               /* samples */
	int64_t first, every;
	size_t outputs;
	bool complex;
	ws_type type;           /* of the sums */
} wsi_conv_extent;

/* The method of a mask of `length` taps: `forced`, or where that is 0 the one that is expected
 * to be faster, by constants measured on one machine: the choice is the same on all. */
ws_conv_method wsi_conv_choose(const wsi_conv_extent *e, size_t length, ws_conv_method forced);

/* Offsets d0 .. d1 - 1 of a mask of `length` taps at which some output takes a sample; d0 == d1:
 * none. */
void wsi_conv_offsets(const wsi_conv_extent *e, size_t length, int64_t *d0, int64_t *d1);

/* Seconds of a mask by that method, on one thread with AVX-512, by constants that choose. */
double wsi_conv_seconds(const wsi_conv_extent *e, size_t length, ws_conv_method method);
/* How many times longer it takes today with an instruction set, and with sums that are not
 * plain. */
double wsi_conv_slowness(const char *isa, ws_conv_method method, ws_sums sums, int accumulators);

/* Lays out the masks whose method is not WS_CONV_DIRECT, and their transforms without tables; of
 * masks, lengths, type and count are looked at.  WS_E_NOMEM; on failure nothing is left to free. */
ws_status wsi_conv_spectra_lay_out(wsi_conv_spectra *spectra, const ws_masks *masks,
                                   const wsi_conv_shaping *shaping, const wsi_conv_extent *e);
/* Makes the tables of their transforms; WS_E_NOMEM, WS_E_CANCELLED.  Bytes of them; frees them. */
ws_status wsi_conv_spectra_fill(wsi_conv_spectra *spectra, wsi_progress *progress);
size_t wsi_conv_spectra_tables(const wsi_conv_spectra *spectra);
void wsi_conv_spectra_empty(wsi_conv_spectra *spectra);
void wsi_conv_spectra_free(wsi_conv_spectra *spectra);

size_t wsi_conv_fft_bytes(const wsi_conv *c);

/* Writes the responses of all rows that io wants.  exponents: of channels, if samples are rounded
 * (c->narrow).  high: as in conv.c, the first channel and mask
 * whose response is not finite. */
void wsi_conv_fft_run(const wsi_conv *c, const wsi_io *io, int array, const int16_t *exponents,
                      wsi_pool *pool, wsi_progress *progress, _Atomic uint64_t *high,
                      void *workspace);

#endif
