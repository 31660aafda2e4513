/* library.cu - cuFFT, opened at run time; its plans. */
#include "cuda/fft/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include <list>
#include <mutex>
#include <new>

/* cufft.h's, which need not be there when wavesift is built. */
typedef int cufft_handle, cufft_result;
enum { CUFFT_C2C = 0x29, CUFFT_R2C = 0x2a, CUFFT_C2R = 0x2c,
       CUFFT_Z2Z = 0x69, CUFFT_D2Z = 0x6a, CUFFT_Z2D = 0x6c };
enum { CUFFT_ALLOC_FAILED = 2, CUFFT_FORWARD = -1, CUFFT_INVERSE = 1 };

struct fft_library {
	void *file;
	cufft_result (*create)(cufft_handle *plan);
	cufft_result (*make)(cufft_handle plan, int rank, long long *n, long long *in_embed,
	                     long long in_stride, long long in_dist, long long *out_embed,
	                     long long out_stride, long long out_dist, int type, long long batch,
	                     size_t *bytes);
	cufft_result (*automatic)(cufft_handle plan, int yes);
	cufft_result (*set_work)(cufft_handle plan, void *work);
	cufft_result (*set_stream)(cufft_handle plan, cudaStream_t stream);
	cufft_result (*destroy)(cufft_handle plan);
	cufft_result (*c2c)(cufft_handle plan, void *in, void *out, int direction);
	cufft_result (*z2z)(cufft_handle plan, void *in, void *out, int direction);
	cufft_result (*r2c)(cufft_handle plan, void *in, void *out);
	cufft_result (*c2r)(cufft_handle plan, void *in, void *out);
	cufft_result (*d2z)(cufft_handle plan, void *in, void *out);
	cufft_result (*z2d)(cufft_handle plan, void *in, void *out);
	std::list<fft_plan> plans;
};

static void *
open_file(void)
{
	/* That of this build's CUDA first; then where CUDA's own packages put it. */
	static const char *const names[] = {
		"libcufft.so.12", "libcufft.so.11", "/usr/local/cuda/lib64/libcufft.so.12",
		"/usr/local/cuda/lib64/libcufft.so.11", "libcufft.so",
	};
	void *file = NULL;
	/* cuFFT does not work again once it was unloaded. */
	for (size_t i = 0; !file && i < sizeof names / sizeof *names; ++i)
		file = dlopen(names[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	return file;
}

static bool
find_functions(fft_library *l)
{
	const struct { const char *name; void *to; } functions[] = {
		{ "cufftCreate", &l->create }, { "cufftMakePlanMany64", &l->make },
		{ "cufftSetAutoAllocation", &l->automatic }, { "cufftSetWorkArea", &l->set_work },
		{ "cufftSetStream", &l->set_stream }, { "cufftDestroy", &l->destroy },
		{ "cufftExecC2C", &l->c2c }, { "cufftExecZ2Z", &l->z2z },
		{ "cufftExecR2C", &l->r2c }, { "cufftExecC2R", &l->c2r },
		{ "cufftExecD2Z", &l->d2z }, { "cufftExecZ2D", &l->z2d },
	};
	for (const auto &f : functions) {
		void *found = dlsym(l->file, f.name);
		if (!found)
			return false;
		memcpy(f.to, &found, sizeof found);
	}
	return true;
}

static ws_status
open_library(wsi_device *d, wsi_why *why)
{
	if (d->fft)
		return WS_OK;
	fft_library *l = new (std::nothrow) fft_library();
	if (l)
		l->file = open_file();
	if (l && l->file && find_functions(l)) {
		d->fft = l;
		return WS_OK;
	}
	snprintf(why->text, sizeof why->text, "cuFFT (libcufft.so.12) is not there: install CUDA's "
	         "libcufft, or use the CPU (`device cpu`)");
	fft_library_close(l);
	return WS_E_BACKEND;
}

static int
type_of(const fft_shape &s)
{
	static const int types[3][2] = { { CUFFT_R2C, CUFFT_D2Z }, { CUFFT_C2C, CUFFT_Z2Z },
		                         { CUFFT_C2R, CUFFT_Z2D } };
	return types[s.kind][s.type == WS_F64];
}

static ws_status
make(fft_library *l, fft_plan *p, wsi_why *why)
{
	const fft_shape &s = p->shape;
	long long n = (long long)s.n, in = n, out = n;
	cufft_result result = l->create(&p->handle);
	if (result != 0) {
		snprintf(why->text, sizeof why->text, "cuFFT does not start (error %d)", result);
		return WS_E_BACKEND;
	}
	result = l->automatic(p->handle, 0);
	if (result == 0)
		result = l->make(p->handle, 1, &n, &in, 1, (long long)s.in_step, &out, 1,
		                 (long long)s.out_step, type_of(s), (long long)s.batch, &p->bytes);
	if (result == 0)
		return WS_OK;
	l->destroy(p->handle);
	snprintf(why->text, sizeof why->text, "cuFFT has no plan for %zu transforms of %zu points "
	         "(error %d)", s.batch, s.n, result);
	return result == CUFFT_ALLOC_FAILED ? WS_E_NOMEM : WS_E_BACKEND;
}

static bool
same(const fft_shape &a, const fft_shape &b)
{
	return a.kind == b.kind && a.type == b.type && a.n == b.n && a.batch == b.batch &&
	       a.in_step == b.in_step && a.out_step == b.out_step;
}

ws_status
fft_take(wsi_device *d, const fft_shape &shape, fft_plan **plan, wsi_why *why)
try {
	const std::lock_guard<std::mutex> guard(*(std::mutex *)d->lock);
	ws_status status = open_library(d, why);
	if (status != WS_OK)
		return status;
	for (fft_plan &p : d->fft->plans)
		if (!p.taken && same(p.shape, shape)) {
			p.taken = true;
			*plan = &p;
			return WS_OK;
		}
	fft_plan made = { shape, 0, 0, true };
	status = cudaSetDevice(d->number) == cudaSuccess ? make(d->fft, &made, why) : WS_E_BACKEND;
	if (status != WS_OK)
		return status;
	d->fft->plans.push_front(made);
	*plan = &d->fft->plans.front();
	return WS_OK;
} catch (const std::bad_alloc &) {
	snprintf(why->text, sizeof why->text, "no memory for a plan of cuFFT");
	return WS_E_NOMEM;
}

/* Plans that are kept though nobody has them; each holds some of the device's memory. */
constexpr size_t KEPT_PLANS = 64;

void
fft_give(wsi_device *d, fft_plan *plan)
{
	if (!plan)
		return;
	const std::lock_guard<std::mutex> guard(*(std::mutex *)d->lock);
	plan->taken = false;
	size_t kept = 0;
	for (auto p = d->fft->plans.begin(); p != d->fft->plans.end();) {
		if (!p->taken && ++kept > KEPT_PLANS) {
			d->fft->destroy(p->handle);
			p = d->fft->plans.erase(p);
		} else {
			++p;
		}
	}
}

cudaError_t
fft_run(wsi_device *d, fft_plan *plan, void *in, void *out, bool inverse, void *work,
        cudaStream_t stream)
{
	const fft_library *l = d->fft;
	const int direction = inverse ? CUFFT_INVERSE : CUFFT_FORWARD;
	const bool f64 = plan->shape.type == WS_F64;
	cufft_result result = l->set_stream(plan->handle, stream);
	/* Memory of no bytes may begin where the data do, which it refuses. */
	if (result == 0 && plan->bytes)
		result = l->set_work(plan->handle, work);
	if (result == 0 && plan->shape.kind == FFT_COMPLEX)
		result = f64 ? l->z2z(plan->handle, in, out, direction)
		             : l->c2c(plan->handle, in, out, direction);
	else if (result == 0 && plan->shape.kind == FFT_REAL_FORWARD)
		result = f64 ? l->d2z(plan->handle, in, out) : l->r2c(plan->handle, in, out);
	else if (result == 0)
		result = f64 ? l->z2d(plan->handle, in, out) : l->c2r(plan->handle, in, out);
	const cudaError_t error = cudaGetLastError();
	return result == 0 ? error : error != cudaSuccess ? error : cudaErrorUnknown;
}

void
fft_library_close(fft_library *l)
{
	if (!l)
		return;
	for (const fft_plan &p : l->plans)
		l->destroy(p.handle);
	if (l->file)
		dlclose(l->file);
	delete l;
}
