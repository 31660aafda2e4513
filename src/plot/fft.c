/* fft.c - see fft.h. */
#define _GNU_SOURCE /* RTLD_NODELETE: FFTW keeps what it learned until the end */
#include "plot/fft.h"

#include <dlfcn.h>

#include "base/status.h"

/* The function of that name; POSIX lets a pointer to data be one to a function. */
#define FIND(f, member, name) (*(void **)&(f)->member = dlsym((f)->library, name))

ws_status
wsi_fft_open(wsi_fft *f)
{
	*f = (wsi_fft){ .library = dlopen("libfftw3.so.3", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) };
	if (!f->library)
		f->library = dlopen("libfftw3.so", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!f->library)
		return WSI_FAIL(WS_E_UNSUPPORTED, "spectra need a library with FFTW's API, and "
		                "there is no libfftw3.so.3: install FFTW (Debian: "
		                "libfftw3-double3)");
	if (!FIND(f, allocate, "fftw_malloc") || !FIND(f, release, "fftw_free") ||
	    !FIND(f, plan, "fftw_plan_dft_r2c_1d") || !FIND(f, execute, "fftw_execute") ||
	    !FIND(f, destroy_plan, "fftw_destroy_plan")) {
		wsi_fft_close(f);
		return WSI_FAIL(WS_E_UNSUPPORTED, "libfftw3.so.3 lacks functions that spectra "
		                "need: install FFTW 3 (Debian: libfftw3-double3)");
	}
	return WS_OK;
}

void
wsi_fft_close(wsi_fft *f)
{
	if (f->library)
		dlclose(f->library);
	f->library = NULL;
}
