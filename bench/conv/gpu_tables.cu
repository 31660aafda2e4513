/*
 * gpu_tables.cu - the tables of Jerome & Yan 2021 on a GPU, each beside the CPU of the same machine
 * and a plain GPU program, in one run.
 *
 *     gpu_tables [masks | convolutions | profile | scalogram | grid]
 *
 *   masks         16 .. 4096 scales: a plain loop in C, ours on one core, a plain kernel for each
 *                 mask (libm), the same in one launch, ours on the GPU
 *   convolutions  1024 .. 102 400 samples by 16 .. 200 masks, from the host's memory to the host's
 *   profile       where the time of 1 024 000 x 200 goes
 *   scalogram     1024 samples by 1024 scales
 *   grid          what plans choose on a GPU beside the better of direct and FFT, transfers counted
 *
 * Morlet masks of 16 s + 1 taps, s = 1 .. SCALES; the signal is sqrt(t (1 - t)) sin(2.1 pi /
 * (t + 0.05)).  Wall time, the least of several after a warm-up.
 */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#include "cuda/conv/masks.h"
#include "gpu.h"
#include "wavesift/conv.h"

/* Seconds, the least of some runs that take 0.2 s or more together, after one. */
template <class F>
static double
least_seconds(F &&work, int most = 12)
{
	double best = HUGE_VAL, all = 0;
	work();
	for (int i = 0; i < most && (i < 3 || all < 0.2); ++i) {
		const double from = now();
		work();
		const double s = now() - from;
		best = std::min(best, s);
		all += s;
	}
	return best;
}

template <class F>
static double
on_card(F &&work)
{
	return least_seconds([&] {
		work();
		CUDA(cudaDeviceSynchronize());
	});
}

static ws_ctx *one_core, *all_cores, *gpu;

static ws_ctx *
context(const char *device, int threads)
{
	ws_ctx_opts c = {};
	c.size = sizeof c;
	c.device = device;
	c.threads = threads;
	ws_ctx *ctx;
	must(ws_ctx_create(&ctx, &c));
	return ctx;
}

static size_t
size_of(ws_type type)
{
	return type == WS_F32 ? 4 : 8;
}

static const char *
name_of(ws_type type)
{
	return type == WS_F32 ? "f32" : "f64";
}

/* ---- Jobs ---------------------------------------------------------------------------------- */

struct job {
	ws_plan *plan = NULL;
	std::vector<char> workspace;
	char *aligned = NULL;
	const void *x = NULL;
	void *y = NULL;
	bool on_device = false;

	job(ws_ctx *ctx, ws_type type, size_t n, int scales, ws_conv_method method, const void *from,
	    void *to, bool device = false)
		: x(from), y(to), on_device(device)
	{
		ws_conv_opts o = {};
		o.size = sizeof o;
		o.tag = WS_TAG_CONV;
		o.mask_formula = WS_MASK_MORLET;
		o.scale_count = (size_t)scales;
		o.method = method;
		ws_shape shape = {};
		shape.size = sizeof shape;
		shape.channels = 1;
		shape.samples = n;
		shape.type = type;
		must(ws_plan_create(&plan, ctx, "conv", &shape, &o));
		workspace.resize(ws_plan_workspace(plan) + 64);
		aligned = workspace.data() + (64 - (size_t)workspace.data() % 64) % 64;
	}
	~job() { ws_plan_destroy(plan); }
	void run()
	{
		ws_buffer buffers[WS_CONV_ARRAYS] = {};
		buffers[WS_CONV_RESPONSES].data = y;
		ws_io io = {};
		io.size = sizeof io;
		io.x = x;
		io.arrays = buffers;
		io.n_arrays = WS_CONV_ARRAYS;
		io.memory = on_device ? WS_MEMORY_DEVICE : WS_MEMORY_HOST;
		must(ws_execute(plan, &io, aligned));
		if (on_device)
			CUDA(cudaDeviceSynchronize());
	}
	double seconds() { return least_seconds([&] { run(); }); }
};

static std::vector<char>
doppler(ws_type type, size_t n)
{
	std::vector<char> x(n * size_of(type));
	for (size_t i = 0; i < n; ++i) {
		const double t = ((double)i + 0.5) / (double)n;
		const double v = sqrt(t * (1 - t)) * sin(2.1 * M_PI / (t + 0.05));
		if (type == WS_F32)
			((float *)x.data())[i] = (float)v;
		else
			((double *)x.data())[i] = v;
	}
	return x;
}

/* The largest difference of rows over the largest value of its row. */
static double
difference(ws_type type, const std::vector<char> &a, const std::vector<char> &b, size_t n)
{
	const size_t all = a.size() / size_of(type);
	double most = 0;
	for (size_t row = 0; row < all; row += n) {
		double off = 0, size = 0;
		for (size_t i = row; i < row + n; ++i) {
			const double p = type == WS_F32 ? ((const float *)a.data())[i]
			                 : ((const double *)a.data())[i];
			const double q = type == WS_F32 ? ((const float *)b.data())[i]
			                 : ((const double *)b.data())[i];
			off = std::max(off, fabs(p - q));
			size = std::max(size, fabs(p));
		}
		most = std::max(most, size > 0 ? off / size : off);
	}
	return most;
}

/* ---- Masks --------------------------------------------------------------------------------- */

static __attribute__((noinline)) void
plain_masks(int scales, double *to)
{
	for (int s = 1; s <= scales; ++s)
		for (int x = -8 * s; x <= 8 * s; ++x) {
			const double t = (double)x / s;
			*to++ = exp(-0.5 * t * t) * cos(5 * t) / sqrt((double)s);
		}
}

/* As straightforward programs have it: a thread a tap. */
__global__ void
plain_mask_kernel(int s, double *to)
{
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), x = i - 8 * s;
	if (x > 8 * s)
		return;
	const double t = (double)x / s;
	to[i] = exp(-0.5 * t * t) * cos(5 * t) / sqrt((double)s);
}

__global__ void
plain_masks_kernel(const size_t *offsets, double *to)
{
	const int s = (int)blockIdx.y + 1;
	const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), x = i - 8 * s;
	if (x > 8 * s)
		return;
	const double t = (double)x / s;
	to[offsets[s - 1] + i] = exp(-0.5 * t * t) * cos(5 * t) / sqrt((double)s);
}

static void
measure_masks(int scales)
{
	std::vector<size_t> offsets;
	std::vector<direct_row> rows;
	std::vector<wsi_conv_form> forms;
	size_t taps = 0;
	for (int s = 1; s <= scales; ++s) {
		direct_row row = {};
		row.taps = taps;
		row.d0 = -8 * s;
		row.d1 = 8 * s + 1;
		row.mask = (unsigned)s - 1;
		row.step = 1;
		rows.push_back(row);
		wsi_conv_form f = {};
		f.mask.formula = WS_MASK_MORLET;
		f.mask.param = 5;
		f.mask.numerator = s;
		f.mask.denominator = 1;
		f.mask.half = 8 * s;
		f.factor = 1;
		forms.push_back(f);
		offsets.push_back(taps);
		taps += 16 * (size_t)s + 1;
	}
	std::vector<double> host(taps);
	const int runs = scales > 1000 ? 1 : 4;
	const double serial = least_seconds([&] { plain_masks(scales, host.data()); }, runs);
	ws_conv_opts o = {};
	o.size = sizeof o;
	o.tag = WS_TAG_CONV;
	o.mask_formula = WS_MASK_MORLET;
	o.scale_count = (size_t)scales;
	ws_masks *masks = NULL;
	const double core = least_seconds([&] {
		ws_masks_destroy(masks);
		must(ws_masks_create(&masks, one_core, &o, 1));
	}, runs);
	double *values;
	direct_row *device_rows;
	wsi_conv_form *device_forms;
	size_t *device_offsets;
	CUDA(cudaMalloc(&values, taps * 8));
	CUDA(cudaMalloc(&device_rows, rows.size() * sizeof rows[0]));
	CUDA(cudaMalloc(&device_forms, forms.size() * sizeof forms[0]));
	CUDA(cudaMalloc(&device_offsets, offsets.size() * 8));
	CUDA(cudaMemcpy(device_rows, rows.data(), rows.size() * sizeof rows[0],
	                cudaMemcpyHostToDevice));
	CUDA(cudaMemcpy(device_forms, forms.data(), forms.size() * sizeof forms[0],
	                cudaMemcpyHostToDevice));
	CUDA(cudaMemcpy(device_offsets, offsets.data(), offsets.size() * 8,
	                cudaMemcpyHostToDevice));
	const double each = on_card([&] {
		for (int s = 1; s <= scales; ++s)
			plain_mask_kernel<<<(16 * s + 256) / 256, 256>>>(
				s, values + offsets[s - 1]);
	});
	const double once = on_card([&] {
		plain_masks_kernel<<<dim3((16 * scales + 256) / 256, scales), 256>>>(
			device_offsets, values);
	});
	CUDA(cudaMemset(values, 0, taps * 8));
	const mask_shape shape = { WS_F64, false, WS_ROUND_NEAREST, 0, false, 1 };
	const double ours = on_card([&] {
		CUDA(masks_fill(shape, device_rows, rows.size(), 16 * (size_t)scales + 1,
		                device_forms, values, 0));
	});
	CUDA(cudaGetLastError());
	CUDA(cudaMemcpy(host.data(), values, taps * 8, cudaMemcpyDeviceToHost));
	const bool same = memcmp(host.data(), masks->values, taps * 8) == 0;
	ws_masks_destroy(masks);
	for (void *p : { (void *)values, (void *)device_rows, (void *)device_forms,
	                 (void *)device_offsets })
		CUDA(cudaFree(p));
	printf("| %d | %zu | %.3f | %.3f | %.3f | %.3f | %.3f | %.0f | %.1f | %s |\n", scales, taps,
	       1e3 * serial, 1e3 * core, 1e3 * each, 1e3 * once, 1e3 * ours, core / ours,
	       each / ours, same ? "the CPU's" : "DIFFER");
}

static void
tell_masks(void)
{
	printf("| masks | taps | serial C, ms | one core | kernel a mask | one plain kernel "
	       "| ours | core / ours | kernel a mask / ours | bits |\n"
	       "|---|---|---|---|---|---|---|---|---|---|\n");
	for (int scales = 16; scales <= 4096; scales *= 2)
		measure_masks(scales);
}

/* ---- Convolutions ---------------------------------------------------------------------------- */

static void
measure_convolution(ws_type type, size_t n, int scales)
{
	const size_t bytes = n * (size_t)scales * size_of(type);
	const std::vector<char> x = doppler(type, n);
	std::vector<char> want(bytes), got(bytes), chosen(bytes);
	double t[6];
	int i = 0;
	for (ws_conv_method m : { WS_CONV_DIRECT, (ws_conv_method)0 }) {
		job core(one_core, type, n, scales, m, x.data(), want.data());
		t[i++] = core.seconds();
		job cores(all_cores, type, n, scales, m, x.data(), want.data());
		t[i++] = cores.seconds();
		job card(gpu, type, n, scales, m, x.data(), m ? got.data() : chosen.data());
		t[i++] = card.seconds();
	}
	job direct(one_core, type, n, scales, WS_CONV_DIRECT, x.data(), want.data());
	direct.run();
	const bool same = memcmp(want.data(), got.data(), bytes) == 0;
	printf("| %s | %zu | %d | %.3f | %.3f | %.3f | %.1f | %.3f | %.3f | %.3f | %.1f | %s | %.1e |\n",
	       name_of(type), n, scales, 1e3 * t[0], 1e3 * t[1], 1e3 * t[2], t[0] / t[2], 1e3 * t[3],
	       1e3 * t[4], 1e3 * t[5], t[3] / t[5], same ? "the CPU's" : "DIFFER",
	       difference(type, want, chosen, n));
}

static void
tell_convolutions(void)
{
	printf("| type | samples | masks | direct: one core, ms | all cores | GPU | core / GPU | "
	       "chosen: one core | all cores | GPU | core / GPU | direct bits | chosen - direct |\n"
	       "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
	for (ws_type type : { WS_F64, WS_F32 })
		for (size_t n : { (size_t)1024, (size_t)10240, (size_t)102400 })
			for (int scales : { 16, 64, 200 })
				measure_convolution(type, n, scales);
}

/* ---- Profile --------------------------------------------------------------------------------- */

static void
measure_profile(ws_type type)
{
	const size_t n = 1024000, scales = 200, bytes = n * scales * size_of(type);
	const std::vector<char> x = doppler(type, n);
	void *dx, *dy, *pinned;
	std::vector<char> pageable(bytes);
	CUDA(cudaMalloc(&dx, x.size()));
	CUDA(cudaMalloc(&dy, bytes));
	CUDA(cudaMallocHost(&pinned, bytes));
	const double in = least_seconds([&] {
		CUDA(cudaMemcpy(dx, x.data(), x.size(), cudaMemcpyHostToDevice));
	});
	const double out = least_seconds([&] {
		CUDA(cudaMemcpy(pinned, dy, bytes, cudaMemcpyDeviceToHost));
	});
	job direct(gpu, type, n, (int)scales, WS_CONV_DIRECT, dx, dy, true);
	job chosen(gpu, type, n, (int)scales, (ws_conv_method)0, dx, dy, true);
	const double d = direct.seconds(), c = chosen.seconds();
	job whole(gpu, type, n, (int)scales, WS_CONV_DIRECT, x.data(), pinned);
	job whole_chosen(gpu, type, n, (int)scales, (ws_conv_method)0, x.data(), pinned);
	job paged(gpu, type, n, (int)scales, (ws_conv_method)0, x.data(), pageable.data());
	printf("| %s | %.3f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f |\n", name_of(type), 1e3 * in,
	       1e3 * d, 1e3 * c, 1e3 * out, 1e3 * whole.seconds(), 1e3 * whole_chosen.seconds(),
	       1e3 * paged.seconds());
	CUDA(cudaFree(dx));
	CUDA(cudaFree(dy));
	CUDA(cudaFreeHost(pinned));
}

static void
tell_profile(void)
{
	printf("1 024 000 samples x 200 masks, ms\n| type | samples to the card | direct sums | chosen | "
	       "responses to the host | direct, all of it | chosen, all of it | chosen, to pageable "
	       "memory |\n|---|---|---|---|---|---|---|---|\n");
	measure_profile(WS_F64);
	measure_profile(WS_F32);
}

/* ---- Grid ------------------------------------------------------------------------------------ */

static double
measure_choice(ws_type type, size_t n, int scales, bool on_device)
{
	const size_t bytes = n * (size_t)scales * size_of(type);
	const std::vector<char> x = doppler(type, n);
	std::vector<char> host(on_device ? 0 : bytes);
	void *dx = NULL, *dy = NULL;
	if (on_device) {
		CUDA(cudaMalloc(&dx, x.size()));
		CUDA(cudaMalloc(&dy, bytes));
		CUDA(cudaMemcpy(dx, x.data(), x.size(), cudaMemcpyHostToDevice));
	}
	double t[3] = { HUGE_VAL, HUGE_VAL, HUGE_VAL };
	{
		job jobs[3] = {
			job(gpu, type, n, scales, (ws_conv_method)0, on_device ? dx : x.data(),
			    on_device ? dy : host.data(), on_device),
			job(gpu, type, n, scales, WS_CONV_DIRECT, on_device ? dx : x.data(),
			    on_device ? dy : host.data(), on_device),
			job(gpu, type, n, scales, WS_CONV_FFT, on_device ? dx : x.data(),
			    on_device ? dy : host.data(), on_device),
		};
		/* In turn, each after a run of its own, since the device keeps tables of two. */
		for (int round = 0; round < (bytes > (2u << 20) ? 3 : 8); ++round)
			for (int k = 0; k < 3; ++k) {
				jobs[k].run();
				for (int i = 0; i < (bytes > (32u << 20) ? 2 : 8); ++i) {
					const double from = now();
					jobs[k].run();
					t[k] = std::min(t[k], now() - from);
				}
			}
	}
	CUDA(cudaFree(dx));
	CUDA(cudaFree(dy));
	const double ratio = t[0] / std::min(t[1], t[2]);
	printf("%s %s %7zu x %-3d direct %8.3f FFT %8.3f chosen %8.3f  %.2f%s\n",
	       on_device ? "card" : "host", name_of(type), n, scales, 1e3 * t[1], 1e3 * t[2],
	       1e3 * t[0], ratio, ratio > 1.1 ? "  SLOWER" : "");
	return ratio;
}

struct grid_tally {
	double worst = 0;
	int slower = 0, all = 0;

	void add(double ratio)
	{
		worst = std::max(worst, ratio);
		slower += ratio > 1.1;
		++all;
	}
};

static void
tell_grid(void)
{
	static const int scales[] = { 16, 32, 64, 128, 200 };
	for (int on_device = 0; on_device < 2; ++on_device) {
		grid_tally tally;
		for (ws_type type : { WS_F64, WS_F32 }) {
			for (size_t n = 1024; n <= 131072; n *= 2)
				/* Other sizes than powers of two, too. */
				for (int k = 0; k < (n > 40000 ? 4 : 5); ++k)
					tally.add(measure_choice(type, k % 2 ? n + n / 3 : n,
					                         scales[k], on_device));
			tally.add(measure_choice(type, 102400, 200, on_device));
		}
		printf("%s: at worst %.2f times the better of direct and FFT, %d of %d above 1.10\n",
		       on_device ? "arrays on the card" : "host to host", tally.worst,
		       tally.slower, tally.all);
	}
}

/* ---- A scalogram ------------------------------------------------------------------------------ */

static void
tell_scalogram(void)
{
	printf("1024 samples x 1024 scales, ms\n| type | method | one core | all cores | GPU | core / GPU "
	       "| largest difference |\n|---|---|---|---|---|---|---|\n");
	for (ws_type type : { WS_F64, WS_F32 })
		for (ws_conv_method m : { WS_CONV_DIRECT, (ws_conv_method)0 }) {
			const std::vector<char> x = doppler(type, 1024);
			std::vector<char> want(1024 * 1024 * size_of(type)), got(want.size());
			job core(one_core, type, 1024, 1024, m, x.data(), want.data());
			job cores(all_cores, type, 1024, 1024, m, x.data(), want.data());
			job card(gpu, type, 1024, 1024, m, x.data(), got.data());
			const double a = core.seconds(), b = cores.seconds(), c = card.seconds();
			printf("| %s | %s | %.2f | %.2f | %.2f | %.1f | %.1e |\n", name_of(type),
			       m ? "direct" : "chosen", 1e3 * a, 1e3 * b, 1e3 * c, a / c,
			       difference(type, want, got, 1024));
		}
}

int
main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	static const struct { const char *name; void (*tell)(void); } tables[] = {
		{ "masks", tell_masks }, { "convolutions", tell_convolutions },
		{ "profile", tell_profile }, { "scalogram", tell_scalogram }, { "grid", tell_grid },
	};
	setvbuf(stdout, NULL, _IOLBF, 0);
	one_core = context("cpu", 1);
	all_cores = context("cpu", 0);
	gpu = context("cuda:0", 0);
	for (const auto &t : tables)
		if (!*what || strcmp(what, t.name) == 0) {
			printf("%s\n", t.name);
			t.tell();
		}
	ws_ctx_destroy(one_core);
	ws_ctx_destroy(all_cores);
	ws_ctx_destroy(gpu);
	return 0;
}
