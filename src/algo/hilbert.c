/* hilbert.c - see hilbert.h; by a library with FFTW's API, which is opened when it is needed. */
#define _GNU_SOURCE /* RTLD_NODELETE: FFTW keeps what it learned until the end */
#include "algo/hilbert.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/status.h"

#define FFTW_ESTIMATE (1u << 6)

typedef double fftw_pair[2];
typedef void *fftw_handle;

struct wsi_hilbert {
	size_t n;
	void *library;
	fftw_handle forward, inverse;
	void (*execute_forward)(fftw_handle plan, double *in, fftw_pair *out);
	void (*execute_inverse)(fftw_handle plan, fftw_pair *in, double *out);
	void (*destroy)(fftw_handle plan);
};

/* Planning is not for several threads at once. */
static pthread_mutex_t planning = PTHREAD_MUTEX_INITIALIZER;

size_t
wsi_hilbert_length(size_t n)
{
	const size_t need = (n + 1) / 2;
	size_t best = 1;
	while (best < need)
		best *= 2;
	for (size_t five = 1; five < best; five *= 5)
		for (size_t three = five; three < best; three *= 3) {
			size_t m = three;
			while (m < need)
				m *= 2;
			best = m < best ? m : best;
		}
	return 2 * best;
}

static size_t
spectrum_bytes(size_t n)
{
	const size_t bytes = (n / 2 + 1) * sizeof(fftw_pair);
	return (bytes + WSI_ALIGN - 1) / WSI_ALIGN * WSI_ALIGN;
}

/* Plans look at the alignment of arrays, not at what is in them. */
static ws_status
plan(wsi_hilbert *h)
{
	fftw_handle (*forward)(int n, double *in, fftw_pair *out, unsigned flags);
	fftw_handle (*inverse)(int n, fftw_pair *in, double *out, unsigned flags);
	*(void **)&forward = dlsym(h->library, "fftw_plan_dft_r2c_1d");
	*(void **)&inverse = dlsym(h->library, "fftw_plan_dft_c2r_1d");
	*(void **)&h->execute_forward = dlsym(h->library, "fftw_execute_dft_r2c");
	*(void **)&h->execute_inverse = dlsym(h->library, "fftw_execute_dft_c2r");
	*(void **)&h->destroy = dlsym(h->library, "fftw_destroy_plan");
	if (!forward || !inverse || !h->execute_forward || !h->execute_inverse || !h->destroy)
		return WSI_FAIL(WS_E_UNSUPPORTED, "libfftw3.so.3 lacks functions that Hilbert "
		                "transforms need: install FFTW 3 (Debian: libfftw3-double3)");
	const size_t row = (h->n * sizeof(double) + WSI_ALIGN - 1) / WSI_ALIGN * WSI_ALIGN;
	char *memory = aligned_alloc(WSI_ALIGN, row + spectrum_bytes(h->n));
	if (!memory)
		return WSI_FAIL(WS_E_NOMEM, "no memory to plan a transform of %zu samples", h->n);
	fftw_pair *spectrum = (fftw_pair *)(void *)(memory + row);
	pthread_mutex_lock(&planning);
	h->forward = forward((int)h->n, (double *)(void *)memory, spectrum, FFTW_ESTIMATE);
	h->inverse = inverse((int)h->n, spectrum, (double *)(void *)memory, FFTW_ESTIMATE);
	pthread_mutex_unlock(&planning);
	free(memory);
	if (!h->forward || !h->inverse)
		return WSI_FAIL(WS_E_UNSUPPORTED, "no transform of %zu samples", h->n);
	return WS_OK;
}

ws_status
wsi_hilbert_create(wsi_hilbert **out, size_t n)
{
	*out = NULL;
	wsi_hilbert *h = calloc(1, sizeof *h);
	if (!h)
		return WSI_FAIL(WS_E_NOMEM, "no memory for a plan");
	h->n = n;
	h->library = dlopen("libfftw3.so.3", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	ws_status status = h->library ? plan(h) : WSI_FAIL(
		WS_E_UNSUPPORTED, "Hilbert transforms need a library with FFTW's API, and there is "
		"no libfftw3.so.3: install FFTW (Debian: libfftw3-double3), or take the method "
		"quadrature");
	if (status != WS_OK) {
		wsi_hilbert_destroy(h);
		return status;
	}
	*out = h;
	return WS_OK;
}

void
wsi_hilbert_destroy(wsi_hilbert *h)
{
	if (!h)
		return;
	pthread_mutex_lock(&planning);
	if (h->forward)
		h->destroy(h->forward);
	if (h->inverse)
		h->destroy(h->inverse);
	pthread_mutex_unlock(&planning);
	if (h->library)
		dlclose(h->library);
	free(h);
}

size_t
wsi_hilbert_scratch(const wsi_hilbert *h)
{
	return spectrum_bytes(h->n);
}

void
wsi_hilbert_run(const wsi_hilbert *h, double *x, double *y, void *scratch)
{
	fftw_pair *z = scratch;
	const size_t n = h->n;
	const double by = 1.0 / (double)n;
	h->execute_forward(h->forward, x, z);
	/* Times -i / n. */
	for (size_t k = 0; k <= n / 2; ++k) {
		const double re = z[k][0] * by;
		z[k][0] = z[k][1] * by;
		z[k][1] = -re;
	}
	z[0][0] = z[0][1] = 0.0;
	if (n % 2 == 0)
		z[n / 2][0] = z[n / 2][1] = 0.0;
	h->execute_inverse(h->inverse, z, y);
}
