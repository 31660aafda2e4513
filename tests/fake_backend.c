/*
 * fake_backend.c - a libwavesift_cuda.so for tests of the core on machines
 * without a GPU: the CPU's engine, with rows in a memory apart.  It checks
 * that the core keeps to ops/backend.h, and does as the environment says:
 *
 *     FAKE_DEVICES=N    number of devices, 2 by default
 *     FAKE_UUID=N       numbers that they have wherever they are seen begin there, 1 by default; 0:
 *                       they have none
 *     FAKE_MEMORY=BYTES of each, 1 GiB by default
 *     FAKE_FAIL=WHAT    version, sizes and numerics (the core's are others), first (device 0
 *                       is unusable), open, borrow, borrow-host, start, stop, row, library and
 *                       work (of the transform `gain`)
 *     FAKE_FAIL_ON=N    start and stop fail on that device only
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu_probe.h"
#include "cpu/emd/engine.h"
#include "fake_gain.h"
#include "ops/backend.h"

struct wsi_device { int number, borrowed; };

typedef struct fake {
	wsi_cpu_engine cpu;     /* first: what algorithms see */
	wsi_arena *memory, *seldom;
	int device;
	bool started;
	void (*sift)(wsi_engine *e, const wsi_sift_job *job);
} fake;

static bool
fails(const char *what)
{
	const char *fail = getenv("FAKE_FAIL");
	return fail && strcmp(fail, what) == 0;
}

static size_t
setting(const char *name, size_t otherwise)
{
	const char *text = getenv(name);
	return text ? strtoull(text, NULL, 10) : otherwise;
}

static void
expect(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "fake_backend: %s\n", what);
	abort();
}

/* ---- Devices ------------------------------------------------------------------------ */

static int
devices(wsi_why *why)
{
	const int n = (int)setting("FAKE_DEVICES", 2);
	if (n == 0)
		snprintf(why->text, sizeof why->text, "there is no driver; install one");
	return n;
}

static void
facts(int device, wsi_device_facts *f)
{
	*f = (wsi_device_facts){ .usable = device > 0 || !fails("first") };
	f->memory = setting("FAKE_MEMORY", (size_t)1 << 30);
	f->memory_free = f->memory;
	const size_t uuid = setting("FAKE_UUID", 1);
	f->uuid[15] = (unsigned char)(uuid ? uuid + (size_t)device : 0);
	snprintf(f->model, sizeof f->model, "Fake %d", device);
	snprintf(f->detail, sizeof f->detail, "made of the CPU");
	if (!f->usable)
		snprintf(f->why.text, sizeof f->why.text, "it is too old");
}

static ws_status
open_device(int device, wsi_device **out, wsi_why *why)
{
	if (fails("open")) {
		snprintf(why->text, sizeof why->text, "it is used by another process alone");
		return WS_E_BACKEND;
	}
	*out = calloc(1, sizeof **out);
	expect(*out, "no memory");
	(*out)->number = device;
	return WS_OK;
}

static void
close_device(wsi_device *d)
{
	expect(d->borrowed == 0, "memory was not given back");
	free(d);
}

/* Before a block: how large it is, and of which kind. */
typedef struct block {
	_Alignas(WSI_ALIGN) size_t bytes;
	wsi_memory kind;
} block;

static ws_status
borrow(wsi_device *d, wsi_memory kind, size_t bytes, void **memory, wsi_why *why)
{
	const bool fail = fails(kind == WSI_HOST_MEMORY ? "borrow-host" : "borrow");
	expect(bytes > 0 && bytes % WSI_ALIGN == 0, "an odd number of bytes");
	block *b = fail ? NULL : aligned_alloc(WSI_ALIGN, sizeof *b + bytes);
	*memory = b ? b + 1 : NULL;
	if (!b) {
		snprintf(why->text, sizeof why->text, "%zu bytes %sare not free", bytes,
		         kind == WSI_HOST_MEMORY ? "of host memory " : "");
		return WS_E_NOMEM;
	}
	*b = (block){ .bytes = bytes, .kind = kind };
	memset(*memory, 0x7f, bytes);
	__atomic_fetch_add(&d->borrowed, 1, __ATOMIC_RELAXED);
	return WS_OK;
}

static void
give_back(wsi_device *d, wsi_memory kind, void *memory)
{
	block *b = (block *)memory - 1;
	expect(b->kind == kind, "memory of another kind was given back");
	__atomic_fetch_sub(&d->borrowed, 1, __ATOMIC_RELAXED);
	free(b);
}

/* What was taken of an arena is there and of that kind. */
static void
expect_within(const wsi_arena *arena, wsi_memory kind)
{
	const block *b = (const block *)(void *)arena->base - 1;
	expect(b->kind == kind, "rows in memory of another kind");
	expect(arena->used <= b->bytes, "more memory than was borrowed");
}

/* Rows lie in the host's memory here. */
static ws_status
look(wsi_device *d, const void *rows, size_t stride, size_t n, size_t samples, ws_type type,
     void *stream, double *low, double *high, size_t *bad, wsi_why *why)
{
	(void)d;
	(void)why;
#ifdef FAKE_TRANSFORM
	(void)stream; /* a transform's own */
#else
	expect(stream != NULL, "not the caller's stream");
#endif
	for (size_t i = 0; i < n; ++i) {
		const char *x = (const char *)rows + i * stride;
		low[i] = INFINITY;
		high[i] = -INFINITY;
		bad[i] = SIZE_MAX;
		for (size_t k = samples; k-- > 0;) {
			const double v = type == WS_F64 ? ((const double *)x)[k]
				: ((const float *)x)[k];
			low[i] = fmin(low[i], v);
			high[i] = fmax(high[i], v);
			bad[i] = isfinite(v) ? bad[i] : k;
		}
	}
	return WS_OK;
}

static int
good_rows(const wsi_device *d, const wsi_params *params)
{
	(void)d;
	(void)params;
	return 100;
}

/* ---- Engine -------------------------------------------------------------------------- */

static wsi_rows
take(wsi_engine *e, int n, wsi_use use)
{
	const fake *f = (const fake *)e;
	const size_t stride = WSI_WORDS(e->params->samples) * WSI_WORD * f->cpu.rows.ops->element;
	wsi_arena *memory = use == WSI_USED_SELDOM ? f->seldom : f->memory;
	return (wsi_rows){ wsi_arena_take(memory, (size_t)n * stride), stride, n };
}

/* The rows beside a job as a job of their own, which the CPU's engine wants. */
static void
sift_beside(wsi_engine *e, const wsi_sift_job *job, int rows)
{
	const fake *f = (const fake *)e;
	const wsi_sift_job beside = { .r = job->beside, .deflate = true, .step = true,
		.out = wsi_some_rows(job->out, rows, job->beside.n),
		.active = job->active ? job->active + rows : NULL, .input = job->input + rows,
		.max_sifts = job->max_sifts, .mode = job->mode, .sifted = job->sifted + rows };
	f->sift(e, &beside);
}

static void
sift(wsi_engine *e, const wsi_sift_job *job)
{
	const fake *f = (const fake *)e;
	const int rows = wsi_sift_rows(job) - job->beside.n;
	wsi_sift_job own = *job;
	own.beside = (wsi_rows){ 0 };
	own.out.n = rows;
	expect(f->started, "work before start");
	expect(rows <= f->cpu.rows.e.gathers, "more rows than layout was told");
	expect(job->beside.n <= f->cpu.rows.e.beside, "more rows beside than layout was told");
	if (job->beside.n > 0)
		sift_beside(e, job, rows);
	f->sift(e, job->beside.n > 0 ? &own : job);
}

static void
layout(void *engine, wsi_device *d, const wsi_params *params, int rows, int beside,
       wsi_progress *progress, wsi_arena *host, wsi_arena *device, wsi_arena *seldom)
{
	fake *f = engine;
	f->device = d->number;
	expect((size_t)engine % WSI_ALIGN == 0, "the engine is not aligned");
	expect(!host->base == !device->base && (!seldom || !host->base == !seldom->base),
	       "only some of the arenas measure");
	wsi_cpu_engine_layout(&f->cpu, wsi_ops_find(wsi_cpu_isa(0), params->type), params, 1, rows,
	                      progress, host);
	f->memory = device;
	f->seldom = seldom ? seldom : device;
	f->cpu.rows.e.gathers = rows;
	f->cpu.rows.e.beside = beside;
	f->started = false;
	f->sift = f->cpu.rows.e.sift;
	f->cpu.rows.e.sift = sift;
	f->cpu.rows.e.take = take;
}

static bool
fails_here(const fake *f, const char *what)
{
	return fails(what) && setting("FAKE_FAIL_ON", (size_t)f->device) == (size_t)f->device;
}

static ws_status
start(void *engine, wsi_why *why)
{
	fake *f = engine;
	if (fails_here(f, "start")) {
		snprintf(why->text, sizeof why->text, "it does not answer");
		return WS_E_BACKEND;
	}
	wsi_cpu_engine_start(&f->cpu);
	f->started = true;
	if (fails_here(f, "stop"))
		atomic_store(&f->cpu.rows.e.progress->cancelled, true);
	return WS_OK;
}

static ws_status
stop(void *engine, wsi_why *why)
{
	fake *f = engine;
	wsi_cpu_engine_stop(&f->cpu);
	expect_within(f->memory, WSI_DEVICE_MEMORY);
	if (f->seldom != f->memory)
		expect_within(f->seldom, WSI_HOST_MEMORY);
	if (!fails_here(f, "stop"))
		return WS_OK;
	snprintf(why->text, sizeof why->text, "it was lost");
	return WS_E_BACKEND;
}

/* Another is linked to it where FAKE_TRANSFORM is defined. */
#ifdef FAKE_TRANSFORM
const wsi_device_transform *fake_transform(const char *name);
#else
/* ---- A transform: f64 samples times a factor -------------------------------------------- */

static ws_status
gain_measure(wsi_device *d, const void *job, size_t part, size_t most, size_t *device,
             size_t *pinned, wsi_why *why)
{
	const fake_gain_job *g = job;
	(void)d;
	expect(part == 0, "a part of an axis that is not there");
	*device = 2 * g->samples * sizeof(double);
	*pinned = 0;
	if (!fails("library"))
		return *device <= most ? WS_OK : WS_E_NOMEM;
	snprintf(why->text, sizeof why->text, "a library is missing; install it");
	return WS_E_BACKEND;
}

static ws_status
gain_run(wsi_device *d, const void *job, const wsi_io *io, size_t device, size_t pinned,
         wsi_progress *progress, wsi_why *why)
{
	const fake_gain_job *g = job;
	(void)d;
	(void)pinned;
	expect(device == 2 * g->samples * sizeof(double), "other bytes than were measured");
	expect(!io->on_device || io->stream, "not the caller's stream");
	if (fails("work")) {
		snprintf(why->text, sizeof why->text, "the device is lost");
		return WS_E_BACKEND;
	}
	for (size_t c = 0; c < g->channels && !wsi_cancelled(progress); ++c)
		for (size_t i = 0; i < g->samples; ++i) {
			const double x = ((const double *)(io->x + c * io->x_stride))[i];
			if (!isfinite(x)) {
				snprintf(why->text, sizeof why->text, "channel %zu, sample %zu is "
				         "not finite", io->first_channel + c + 1, i + 1);
				return WS_E_FORMAT;
			}
			((double *)wsi_io_row(io, 0, c, 0))[i] = g->factor * x;
		}
	return WS_OK;
}

static void
gain_describe(wsi_device *d, const void *job, char *text, size_t size)
{
	(void)d;
	snprintf(text, size, "  kernels    fake, times %g\n", ((const fake_gain_job *)job)->factor);
}

static const wsi_device_transform *
fake_transform(const char *name)
{
	static const wsi_device_transform gain = { "gain", sizeof(fake_gain_job), gain_measure,
		gain_run, gain_describe };
	return strcmp(name, gain.name) == 0 && !fails("row") ? &gain : NULL;
}
#endif

__attribute__((visibility("default"))) const wsi_backend *wsi_backend_entry(int version);

const wsi_backend *
wsi_backend_entry(int version)
{
	static wsi_backend backend;
	backend = (wsi_backend){
		.version = WSI_BACKEND_VERSION, .shared = WSI_SHARED, .name = "cuda",
			.engine_bytes = sizeof(fake),
		.devices = devices, .facts = facts, .open = open_device, .close = close_device,
		.borrow = borrow, .give_back = give_back, .look = look, .good_rows = good_rows,
			.layout = layout,
		.start = start, .stop = stop, .transform = fake_transform,
	};
	backend.shared.params += fails("sizes") ? 8 : 0;
	backend.shared.numerics += fails("numerics") ? 1 : 0;
	return version == WSI_BACKEND_VERSION && !fails("version") ? &backend : NULL;
}
