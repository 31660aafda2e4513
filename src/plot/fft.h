/* fft.h - the few functions of FFTW's API that spectra need, from any library that has
 * them, opened when there is a spectrum to draw: nothing is linked against it. */
#ifndef WSI_PLOT_FFT_H
#define WSI_PLOT_FFT_H

#include <fftw3.h>

#include "wavesift/wavesift.h"

typedef struct wsi_fft {
	void *library;
	__typeof__(fftw_malloc) *allocate;
	__typeof__(fftw_free) *release;
	__typeof__(fftw_plan_dft_r2c_1d) *plan;
	__typeof__(fftw_execute) *execute;
	__typeof__(fftw_destroy_plan) *destroy_plan;
} wsi_fft;

/* WS_E_UNSUPPORTED, and what to install, where there is none. */
ws_status wsi_fft_open(wsi_fft *fft);
void wsi_fft_close(wsi_fft *fft);

#endif
