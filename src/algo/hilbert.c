/*
 * hilbert.c - see hilbert.h; by a library with FFTW's API, which is opened when it is needed.
 *
 * Lengths with large prime factors, of which transforms are slow, go as what a Hilbert transform is:
 * a convolution with (a period of) the cotangent, by transforms of a good length of at least 2 n.
 */
#define _GNU_SOURCE /* RTLD_NODELETE: FFTW keeps what it learned until the end */
#include "algo/hilbert.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#include <string.h>

#include "base/arena.h"
#include "base/status.h"
#include "math/gaussian.h"

#define FFTW_ESTIMATE (1u << 6)

typedef double fftw_pair[2];
typedef void *fftw_handle;

struct wsi_hilbert {
	size_t n;
	size_t m;               /* of the transforms */
	fftw_pair *kernel;      /* transform of the cotangent; NULL: m is n */
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
up(size_t bytes)
{
	return (bytes + WSI_ALIGN - 1) / WSI_ALIGN * WSI_ALIGN;
}

static size_t
spectrum_bytes(size_t m)
{
	return up((m / 2 + 1) * sizeof(fftw_pair));
}

/* Are transforms of n quick? */
static bool
is_good(size_t n)
{
	static const size_t primes[] = { 2, 3, 5, 7 };
	for (int i = 0; i < 4; ++i)
		while (n % primes[i] == 0)
			n /= primes[i];
	return n == 1;
}

static ws_status
find_functions(wsi_hilbert *h, void **forward, void **inverse)
{
	*forward = dlsym(h->library, "fftw_plan_dft_r2c_1d");
	*inverse = dlsym(h->library, "fftw_plan_dft_c2r_1d");
	*(void **)&h->execute_forward = dlsym(h->library, "fftw_execute_dft_r2c");
	*(void **)&h->execute_inverse = dlsym(h->library, "fftw_execute_dft_c2r");
	*(void **)&h->destroy = dlsym(h->library, "fftw_destroy_plan");
	if (!*forward || !*inverse || !h->execute_forward || !h->execute_inverse || !h->destroy)
		return WSI_FAIL(WS_E_UNSUPPORTED, "libfftw3.so.3 lacks functions that Hilbert "
		                "transforms need: install FFTW 3 (Debian: libfftw3-double3)");
	return WS_OK;
}

/* Plans look at the alignment of arrays, not at what is in them. */
static ws_status
plan(wsi_hilbert *h, double *x, fftw_pair *z)
{
	fftw_handle (*forward)(int n, double *in, fftw_pair *out, unsigned flags);
	fftw_handle (*inverse)(int n, fftw_pair *in, double *out, unsigned flags);
	WSI_TRY(find_functions(h, (void **)&forward, (void **)&inverse));
	pthread_mutex_lock(&planning);
	h->forward = forward((int)h->m, x, z, FFTW_ESTIMATE);
	h->inverse = inverse((int)h->m, z, x, FFTW_ESTIMATE);
	pthread_mutex_unlock(&planning);
	if (!h->forward || !h->inverse)
		return WSI_FAIL(WS_E_UNSUPPORTED, "no transform of %zu samples", h->m);
	return WS_OK;
}

/*
 * The transform of the response y[k] to a pulse at 0, -n < k < n:  2/n cot(pi k / n) for odd k and 0
 * for even ones where n is even; (cot(pi k / n) - (-1)^k / sin(pi k / n)) / n where it is odd.
 */
static void
make_kernel(wsi_hilbert *h, double *x)
{
	const double n = (double)h->n;
	memset(x, 0, h->m * sizeof *x);
	for (size_t k = 1; k < h->n; ++k) {
		double c, s, y = 0.0;
		gaussian_turn(0.5 * (double)k / n, &c, &s);
		if (h->n % 2 == 0)
			y = k % 2 ? 2.0 / n * (c / s) : 0.0;
		else
			y = (c + (k % 2 ? 1.0 : -1.0)) / s / n;
		x[k] = y;
		x[h->m - k] = -y;
	}
	h->execute_forward(h->forward, x, h->kernel);
	for (size_t k = 0; k <= h->m / 2; ++k)
		for (int i = 0; i < 2; ++i)
			h->kernel[k][i] /= (double)h->m;
}

static ws_status
create(wsi_hilbert *h)
{
	h->library = dlopen("libfftw3.so.3", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!h->library)
		return WSI_FAIL(WS_E_UNSUPPORTED, "Hilbert transforms need a library with FFTW's "
		                "API, and there is no libfftw3.so.3: install FFTW (Debian: "
		                "libfftw3-double3), or take the method quadrature");
	const bool good = is_good(h->n);
	h->m = good ? h->n : wsi_hilbert_length(2 * h->n);
	if (h->m > (size_t)1 << 30)
		return WSI_FAIL(WS_E_UNSUPPORTED, "%zu samples: a Hilbert transform takes at most "
		                "2^29 of a length with large prime factors", h->n);
	if (!good)
		h->kernel = aligned_alloc(WSI_ALIGN, spectrum_bytes(h->m));
	char *memory = aligned_alloc(WSI_ALIGN, up(h->m * sizeof(double)) + spectrum_bytes(h->m));
	double *x = (double *)(void *)memory;
	ws_status status = !memory || (!good && !h->kernel)
	                   ? WSI_FAIL(WS_E_NOMEM, "no memory to plan a transform of %zu samples",
	                              h->m)
	                   : plan(h, x, (fftw_pair *)(void *)(memory + up(h->m * sizeof *x)));
	if (status == WS_OK && !good)
		make_kernel(h, x);
	free(memory);
	return status;
}

ws_status
wsi_hilbert_create(wsi_hilbert **out, size_t n)
{
	*out = NULL;
	wsi_hilbert *h = calloc(1, sizeof *h);
	if (!h)
		return WSI_FAIL(WS_E_NOMEM, "no memory for a plan");
	h->n = n;
	const ws_status status = create(h);
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
	free(h->kernel);
	free(h);
}

size_t
wsi_hilbert_scratch(const wsi_hilbert *h)
{
	return spectrum_bytes(h->m) + (h->kernel ? up(h->m * sizeof(double)) : 0);
}

/* Times -i / n; no mean, and no wave of n / 2. */
static void
turn(const wsi_hilbert *h, fftw_pair *z)
{
	const double by = 1.0 / (double)h->n;
	for (size_t k = 0; k <= h->n / 2; ++k) {
		const double re = z[k][0] * by;
		z[k][0] = z[k][1] * by;
		z[k][1] = -re;
	}
	z[0][0] = z[0][1] = 0.0;
	if (h->n % 2 == 0)
		z[h->n / 2][0] = z[h->n / 2][1] = 0.0;
}

static void
convolve(const wsi_hilbert *h, const double *x, double *y, fftw_pair *z, double *longer)
{
	memcpy(longer, x, h->n * sizeof *x);
	memset(longer + h->n, 0, (h->m - h->n) * sizeof *x);
	h->execute_forward(h->forward, longer, z);
	for (size_t k = 0; k <= h->m / 2; ++k) {
		const double a = z[k][0], b = z[k][1], c = h->kernel[k][0], d = h->kernel[k][1];
		z[k][0] = a * c - b * d;
		z[k][1] = a * d + b * c;
	}
	h->execute_inverse(h->inverse, z, longer);
	memcpy(y, longer, h->n * sizeof *y);
}

void
wsi_hilbert_run(const wsi_hilbert *h, double *x, double *y, void *scratch)
{
	fftw_pair *z = scratch;
	if (h->kernel) {
		convolve(h, x, y, z, (double *)(void *)((char *)scratch + spectrum_bytes(h->m)));
		return;
	}
	h->execute_forward(h->forward, x, z);
	turn(h, z);
	h->execute_inverse(h->inverse, z, y);
}
