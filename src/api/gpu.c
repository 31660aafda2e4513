/* gpu.c - the GPUs of a context, and of this machine. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/context.h"
#include "base/status.h"

/* ---- What the caller named -------------------------------------------------------- */

static ws_status
bad_device(const char *device)
{
	return WSI_FAIL(WS_E_ARG, "device %s: must be auto, cpu, cuda, or cuda with "
	                "numbers such as cuda:1 or cuda:0,2", device);
}

/* "0,2" */
static ws_status
set_numbers(ws_ctx *ctx, const char *device, const char *list)
{
	ctx->n_slots = 0;
	for (const char *p = list;; ++p) {
		char *end;
		unsigned long number = *p >= '0' && *p <= '9' ? strtoul(p, &end, 10) : 1000;
		if (number > 999 || (*end && *end != ','))
			return bad_device(device);
		for (int i = 0; i < ctx->n_slots; ++i)
			if (ctx->slots[i].number == (int)number)
				return WSI_FAIL(WS_E_ARG, "device %s: names GPU %lu twice", device,
				                number);
		if (ctx->n_slots == WSI_MOST_GPUS)
			return WSI_FAIL(WS_E_ARG, "device %s: names more than %d GPUs", device,
			                WSI_MOST_GPUS);
		ctx->slots[ctx->n_slots++].number = (int)number;
		p = end;
		if (!*p)
			return WS_OK;
	}
}

ws_status
wsi_ctx_set_device(ws_ctx *ctx, const char *device)
{
	ctx->may_cpu = strcmp(device, "auto") == 0 || strcmp(device, "cpu") == 0;
	ctx->may_gpu = strcmp(device, "cpu") != 0;
	ctx->n_slots = 1;
	ctx->slots[0].number = -1;
	if (ctx->may_cpu || strcmp(device, "cuda") == 0)
		return WS_OK;
	return strncmp(device, "cuda:", 5) == 0 ? set_numbers(ctx, device, device + 5)
	                                        : bad_device(device);
}

/* ---- Opening ------------------------------------------------------------------------ */

static int
first_usable(const wsi_backend *b, int n)
{
	for (int i = 0; i < n; ++i) {
		wsi_device_facts facts;
		b->facts(i, &facts);
		if (facts.usable)
			return i;
	}
	return 0;
}

static ws_status
open_slot(ws_ctx *ctx, wsi_gpu_slot *s)
{
	const wsi_backend *b;
	wsi_gpu *g = &s->gpu;
	snprintf(g->name, sizeof g->name, s->number < 0 ? "cuda" : "cuda:%d", s->number);
	if (!ctx->loaded.library)
		wsi_backend_load(&ctx->loaded);
	s->why = ctx->loaded.why;
	if (!(b = ctx->loaded.backend))
		return WS_E_BACKEND;
	const int n = b->devices(&s->why);
	if (n == 0)
		return WS_E_BACKEND;
	ctx->present = true;
	if (s->number < 0)
		s->number = first_usable(b, n);
	snprintf(g->name, sizeof g->name, "cuda:%d", s->number);
	if (s->number >= n) {
		snprintf(s->why.text, sizeof s->why.text, "the GPUs of this machine end at cuda:%d",
		         n - 1);
		return WS_E_BACKEND;
	}
	wsi_device_facts facts;
	b->facts(s->number, &facts);
	if (!facts.usable) {
		s->why = facts.why;
		return WS_E_BACKEND;
	}
	const ws_status status = b->open(s->number, &g->device, &s->why);
	if (status != WS_OK)
		return status;
	/* Once for all: what plans have borrowed is kept, and no longer free. */
	b->facts(s->number, &facts);
	g->backend = b;
	g->limit = facts.memory_free / 10 * 9;
	if (ctx->device_memory)
		g->limit = ctx->device_memory < facts.memory_free ? ctx->device_memory
		                                                  : facts.memory_free;
	memcpy(g->model, facts.model, sizeof g->model);
	return WS_OK;
}

ws_status
wsi_ctx_gpu(ws_ctx *ctx, int i, const wsi_gpu **gpu)
{
	wsi_gpu_slot *s = &ctx->slots[i];
	pthread_mutex_lock(&ctx->lock);
	if (!s->tried)
		s->status = open_slot(ctx, s);
	s->tried = true;
	pthread_mutex_unlock(&ctx->lock);
	if (s->status != WS_OK)
		return WSI_FAIL(s->status, "device %s: %s", s->gpu.name, s->why.text);
	*gpu = &s->gpu;
	return WS_OK;
}

void
wsi_ctx_close(ws_ctx *ctx)
{
	for (int i = 0; i < ctx->n_slots; ++i)
		if (ctx->slots[i].gpu.device)
			ctx->slots[i].gpu.backend->close(ctx->slots[i].gpu.device);
	wsi_backend_unload(&ctx->loaded);
}

/* ---- What there is -------------------------------------------------------------------- */

/* Fills d; false where there is no GPU i, and why. */
static bool
tell_device(const wsi_backend *b, int i, ws_device *d, wsi_why *why)
{
	const int n = b->devices(why);
	if (i < 0 || i >= n) {
		if (n > 0)
			snprintf(why->text, sizeof why->text, "the GPUs of this machine "
			         "end at cuda:%d", n - 1);
		return false;
	}
	wsi_device_facts facts;
	b->facts(i, &facts);
	*d = (ws_device){ .size = sizeof *d, .memory = facts.memory, .usable = facts.usable,
		          .memory_free = facts.memory_free };
	snprintf(d->name, sizeof d->name, "%s:%d", b->name, i);
	memcpy(d->model, facts.model, sizeof d->model);
	memcpy(d->detail, facts.detail, sizeof d->detail);
	if (!facts.usable)
		memcpy(d->why, facts.why.text, sizeof d->why);
	return true;
}

ws_status
ws_device_info(int i, ws_device *device)
{
	if (!device)
		return WSI_FAIL(WS_E_ARG, "ws_device_info: device is NULL");
	if (device->size < sizeof *device)
		return WSI_FAIL(WS_E_ARG, "ws_device.size is %zu: set it to sizeof(ws_device)",
		                device->size);
	wsi_loaded loaded;
	wsi_backend_load(&loaded);
	wsi_why why = loaded.why;
	const bool there = loaded.backend && tell_device(loaded.backend, i, device, &why);
	wsi_backend_unload(&loaded);
	return there ? WS_OK : WSI_FAIL(WS_E_BACKEND, "%s", why.text);
}
