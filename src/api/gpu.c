/* gpu.c - the GPUs of a context, and of this machine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/gpu.h"
#include "base/sized.h"
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

static void
load(ws_ctx *ctx)
{
	if (!ctx->loaded.library)
		wsi_backend_load(&ctx->loaded, ctx->backend);
}

ws_status
wsi_ctx_set_backend(ws_ctx *ctx, const char *file)
{
	ctx->backend = strdup(file);
	if (!ctx->backend)
		return WSI_FAIL(WS_E_NOMEM, "no memory for a context");
	if (!ctx->may_gpu)
		return WS_OK;
	load(ctx);
	return ctx->loaded.backend ? WS_OK : WSI_FAIL(WS_E_BACKEND, "%s", ctx->loaded.why.text);
}

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
	load(ctx);
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
	memcpy(g->uuid, facts.uuid, sizeof g->uuid);
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

static ws_status
check_size(const ws_device *device)
{
	return wsi_sized_check("ws_device", device->size, WSI_UP_TO(ws_device, name));
}

/* As ws_device_info, of a backend that may be missing. */
static ws_status
device_info(const wsi_loaded *loaded, int i, ws_device *device)
{
	const wsi_backend *b = loaded->backend;
	wsi_why why = loaded->why;
	const int n = b ? b->devices(&why) : 0;
	if (n > 0 && (i < 0 || i >= n))
		snprintf(why.text, sizeof why.text, "the GPUs of this machine end at cuda:%d",
		         n - 1);
	if (i < 0 || i >= n)
		return WSI_FAIL(WS_E_BACKEND, "%s", why.text);
	wsi_device_facts facts;
	b->facts(i, &facts);
	ws_device d = { .memory = facts.memory, .memory_free = facts.memory_free,
		        .usable = facts.usable };
	snprintf(d.name, sizeof d.name, "%s:%d", b->name, i);
	memcpy(d.model, facts.model, sizeof d.model);
	memcpy(d.detail, facts.detail, sizeof d.detail);
	if (!facts.usable)
		memcpy(d.why, facts.why.text, sizeof facts.why.text);
	wsi_sized_fill(device, &d, sizeof d);
	return WS_OK;
}

ws_status
ws_device_info(int i, ws_device *device)
{
	if (!device)
		return WSI_FAIL(WS_E_ARG, "ws_device_info: device is NULL");
	WSI_TRY(check_size(device));
	wsi_loaded loaded;
	wsi_backend_load(&loaded, NULL);
	const ws_status status = device_info(&loaded, i, device);
	wsi_backend_unload(&loaded);
	return status;
}

ws_status
ws_ctx_device_info(ws_ctx *ctx, int i, ws_device *device)
{
	if (!ctx || !device)
		return WSI_FAIL(WS_E_ARG, "ws_ctx_device_info: ctx and device must not be NULL");
	WSI_TRY(check_size(device));
	pthread_mutex_lock(&ctx->lock);
	load(ctx);
	const ws_status status = device_info(&ctx->loaded, i, device);
	pthread_mutex_unlock(&ctx->lock);
	return status;
}
