/*
 * fake_backend.c - a libwavesift_cuda.so for tests of the core on machines
 * without a GPU: the CPU's engine, with rows in a memory apart.  It checks
 * that the core keeps to ops/backend.h, and does as the environment says:
 *
 *     FAKE_DEVICES=N    number of devices, 2 by default
 *     FAKE_MEMORY=BYTES of each, 1 GiB by default
 *     FAKE_FAIL=WHAT    version, first (device 0 is unusable), open, borrow, start, stop
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu_probe.h"
#include "cpu/engine.h"
#include "ops/backend.h"

struct wsi_device { int borrowed; };

typedef struct fake {
	wsi_cpu_engine cpu;     /* first: what algorithms see */
	wsi_arena *memory;
	int rows;
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
	snprintf(f->model, sizeof f->model, "Fake %d", device);
	snprintf(f->detail, sizeof f->detail, "made of the CPU");
	if (!f->usable)
		snprintf(f->why.text, sizeof f->why.text, "it is too old");
}

static ws_status
open_device(int device, wsi_device **out, wsi_why *why)
{
	(void)device;
	if (fails("open")) {
		snprintf(why->text, sizeof why->text, "it is used by another process alone");
		return WS_E_BACKEND;
	}
	*out = calloc(1, sizeof **out);
	expect(*out, "no memory");
	return WS_OK;
}

static void
close_device(wsi_device *d)
{
	expect(d->borrowed == 0, "memory was not given back");
	free(d);
}

static ws_status
borrow(wsi_device *d, size_t bytes, void **memory, wsi_why *why)
{
	*memory = fails("borrow") ? NULL : aligned_alloc(WSI_ALIGN, bytes);
	if (!*memory) {
		snprintf(why->text, sizeof why->text, "%zu bytes are not free", bytes);
		return WS_E_NOMEM;
	}
	memset(*memory, 0x7f, bytes);
	__atomic_fetch_add(&d->borrowed, 1, __ATOMIC_RELAXED);
	return WS_OK;
}

static void
give_back(wsi_device *d, void *memory)
{
	__atomic_fetch_sub(&d->borrowed, 1, __ATOMIC_RELAXED);
	free(memory);
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
take(wsi_engine *e, int n)
{
	const fake *f = (const fake *)e;
	const size_t stride = WSI_WORDS(e->params->samples) * WSI_WORD * f->cpu.ops->element;
	return (wsi_rows){ wsi_arena_take(f->memory, (size_t)n * stride), stride, n };
}

static void
sift(wsi_engine *e, const wsi_sift_job *job)
{
	const fake *f = (const fake *)e;
	expect(f->started, "work before start");
	expect(job->r.n <= f->rows, "more rows than layout was told");
	f->sift(e, job);
}

static void
layout(void *engine, wsi_device *d, const wsi_params *params, int rows, wsi_progress *progress,
       wsi_arena *host, wsi_arena *device)
{
	fake *f = engine;
	(void)d;
	expect((size_t)engine % WSI_ALIGN == 0, "the engine is not aligned");
	expect(!host->base == !device->base, "only one of the arenas measures");
	wsi_cpu_engine_layout(&f->cpu, wsi_ops_find(wsi_cpu_isa(0), params->type), params, 1, rows,
	                      progress, host);
	f->memory = device;
	f->rows = rows;
	f->started = false;
	f->sift = f->cpu.e.sift;
	f->cpu.e.sift = sift;
	f->cpu.e.take = take;
}

static ws_status
start(void *engine, wsi_why *why)
{
	fake *f = engine;
	if (fails("start")) {
		snprintf(why->text, sizeof why->text, "it does not answer");
		return WS_E_BACKEND;
	}
	wsi_cpu_engine_start(&f->cpu);
	f->started = true;
	if (fails("stop"))
		atomic_store(&f->cpu.e.progress->cancelled, true);
	return WS_OK;
}

static ws_status
stop(void *engine, wsi_why *why)
{
	fake *f = engine;
	wsi_cpu_engine_stop(&f->cpu);
	if (!fails("stop"))
		return WS_OK;
	snprintf(why->text, sizeof why->text, "it was lost");
	return WS_E_BACKEND;
}

__attribute__((visibility("default"))) const wsi_backend *wsi_backend_entry(int version);

const wsi_backend *
wsi_backend_entry(int version)
{
	static const wsi_backend backend = {
		.version = WSI_BACKEND_VERSION, .name = "cuda", .engine_bytes = sizeof(fake),
		.devices = devices, .facts = facts, .open = open_device, .close = close_device,
		.borrow = borrow, .give_back = give_back, .good_rows = good_rows, .layout = layout,
		.start = start, .stop = stop,
	};
	return version == WSI_BACKEND_VERSION && !fails("version") ? &backend : NULL;
}
