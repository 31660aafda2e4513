/*
 * cwt.h - the continuous wavelet transform of rows of samples on the CPU.
 *
 *     wsi_cwt_create (transform/cwt/cwt.h)  ->  for blocks of channels: wsi_cwt_forward, then
 *     wsi_cwt_run for blocks of frequencies and of time, in any order  ->  wsi_cwt_destroy
 *
 * A plan is immutable but for what it keeps (wsi_cwt_kept), and may be shared by threads.  A
 * coefficient has the same bits whatever block it is asked for in, for any number of threads, and
 * on any instruction set but "ref".
 */
#ifndef WSI_CPU_CWT_H
#define WSI_CPU_CWT_H

#include "base/pool.h"
#include "cpu/cwt/cwt_ways.h"

/* Which rows of memory a spectrum is: wsi_cwt_spectrum_bytes each, aligned to 64. */
size_t wsi_cwt_spectrum_bytes(const wsi_cwt *cwt);
/* Without that of the near part, which lies behind it. */
size_t wsi_cwt_own_spectrum_bytes(const wsi_cwt *cwt);

/* Bytes of workspace of wsi_cwt_forward() of so many channels at a time, and of wsi_cwt_run(), with
 * so many threads; aligned to 64. */
size_t wsi_cwt_workspace(const wsi_cwt *cwt, size_t channels, int threads);

/* Spectra of channels whose samples lie `stride` bytes apart.  WS_E_FORMAT: a sample is not
 * finite.  progress: or NULL; told how far the step at work is, and looked at between channels:
 * where the user asks to stop, spectra are left out.  So do the calls below, between rows. */
ws_status wsi_cwt_forward(const wsi_cwt *cwt, const void *x, size_t stride, size_t channels,
                          void *spectra, wsi_pool *pool, wsi_progress *progress,
                          void *workspace);

/* The padded signal, x 2^-exponent - offset, where wsi_dft_forward() takes it from. */
void wsi_cwt_pad(const wsi_cwt *cwt, const void *x, int exponent, double offset, double *re,
                 double *im);

/* Of a spectrum of wsi_cwt_forward that which scales of cwt are made of: bins -below .. N / 2 +
 * above, to be multiplied by *scale, a power of two; *re, *im: of bin 0. */
void wsi_cwt_spectrum(const wsi_cwt *cwt, const void *spectrum, const void **re, const void **im,
                      double *scale);

/* Outputs t0 .. t1 - 1 of frequency f of one channel, as `quantity`.  stream: past the caches. */
void wsi_cwt_one(const wsi_cwt *cwt, const void *spectrum, size_t f, ws_quantity quantity,
                 bool stream, size_t t0, size_t t1, void *out, wsi_cwt_scratch *scratch);

/* Adds weight, which is not 0, times the powers of these outputs to sums. */
void wsi_cwt_add_power(const wsi_cwt *cwt, const void *spectrum, size_t f, double weight, size_t t0,
                       size_t t1, double *sums, wsi_cwt_scratch *scratch);

/* Between rows of a long item: false where the user has asked to stop.  Thread 0 asks. */
bool wsi_cwt_goes_on(const wsi_cwt_scratch *scratch);

/* Work that is formed from rows of coefficients: item 0 .. items - 1, each by one thread, in any
 * order. */
typedef struct wsi_cwt_work {
	size_t items;
	size_t together;        /* neighbours that one thread takes at a time; 0: one */
	size_t own_bytes;       /* of a thread */
	void (*item)(void *user, size_t item, wsi_cwt_scratch *scratch, void *own);
	void *user;
} wsi_cwt_work;

void wsi_cwt_items(const wsi_cwt *cwt, const wsi_cwt_work *work, wsi_pool *pool,
                   wsi_progress *progress, void *workspace);
/* Bytes of its workspace, and of that of wsi_cwt_forward() of so many channels at a time. */
size_t wsi_cwt_items_workspace(const wsi_cwt *cwt, size_t channels, int threads, size_t own_bytes);

/* What is computed, and where it goes. */
typedef struct wsi_cwt_part {
	const void *spectra;    /* of wsi_cwt_forward */
	size_t channels;
	size_t f0, f1;          /* frequencies */
	size_t t0, t1;          /* outputs */
	char *out;              /* of channel 0, frequency f0, output t0; best aligned to 64 */
	size_t channel_stride, frequency_stride; /* bytes */
} wsi_cwt_part;

void wsi_cwt_run(const wsi_cwt *cwt, const wsi_cwt_part *part, wsi_pool *pool,
                 wsi_progress *progress, void *workspace);

#endif
