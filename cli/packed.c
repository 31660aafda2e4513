/*
 * packed.c - a finished channel as bytes:
 *
 *     head   slabs [n], without their data   counts of sums [n], where it has any
 *     data of each, and its sums, each at a multiple of 16
 */
#include "packed.h"

#include <stdint.h>
#include <string.h>

#include "base/element.h"
#include "base/status.h"

typedef struct packed_head {
	uint64_t channel, block;
} packed_head;

/* Axes of what a channel has of an array. */
static int
axes_of(const ws_array *a)
{
	return a->rank - (a->axis[0] == WS_AXIS_CHANNEL);
}

static size_t
slab_bytes(const ws_array *a, const ws_slab *slab)
{
	size_t bytes = slab->data ? wsi_type_size(a->type) : 0;
	for (int i = 0; i < axes_of(a); i++)
		bytes *= slab->extent[i];
	return bytes;
}

static size_t
aligned(size_t bytes)
{
	return (bytes + 15) / 16 * 16;
}

/* Not yet aligned. */
static size_t
head_bytes(const cli_outputs *o, bool has_sums)
{
	return sizeof(packed_head) +
	       (size_t)o->n * (sizeof(ws_slab) + (has_sums ? sizeof(size_t) : 0));
}

size_t
cli_packed_bytes(const cli_outputs *o, const ws_channel_result *result, const size_t *n_sums)
{
	size_t bytes = aligned(head_bytes(o, n_sums));
	for (int i = 0; i < o->n; i++)
		bytes += aligned(slab_bytes(&o->arrays[i], &result->slabs[i]))
		         + (n_sums ? aligned(n_sums[i] * sizeof(uint32_t)) : 0);
	return bytes;
}

/* What fills n bytes up to a multiple of 16. */
static ws_status
fill_up(cli_packed_put put, void *user, size_t n)
{
	static const char zeros[16];
	return n % 16 ? put(user, zeros, 16 - n % 16) : WS_OK;
}

static ws_status
put_filled(cli_packed_put put, void *user, const void *bytes, size_t n)
{
	if (n)
		WSI_TRY(put(user, bytes, n));
	return fill_up(put, user, n);
}

ws_status
cli_pack(const cli_outputs *o, const ws_channel_result *result, const uint32_t *const *sums,
         const size_t *n_sums, cli_packed_put put, void *user)
{
	const packed_head head = { result->channel, result->block };
	WSI_TRY(put(user, &head, sizeof head));
	for (int i = 0; i < o->n; i++) {
		ws_slab slab = result->slabs[i];
		/* Whether there is any, not where. */
		slab.data = slab.data ? (const void *)(uintptr_t)1 : NULL;
		WSI_TRY(put(user, &slab, sizeof slab));
	}
	if (n_sums)
		WSI_TRY(put(user, n_sums, (size_t)o->n * sizeof *n_sums));
	WSI_TRY(fill_up(put, user, head_bytes(o, n_sums)));
	for (int i = 0; i < o->n; i++) {
		WSI_TRY(put_filled(put, user, result->slabs[i].data,
		                   slab_bytes(&o->arrays[i], &result->slabs[i])));
		if (n_sums)
			WSI_TRY(put_filled(put, user, sums[i], n_sums[i] * sizeof *sums[i]));
	}
	return WS_OK;
}

/* Does it lie in its array? */
static bool
is_inside(const ws_array *a, const ws_slab *slab)
{
	const int own = a->rank - axes_of(a);
	for (int i = 0; i < axes_of(a); i++)
		if (slab->first[i] > a->extent[i + own]
		    || slab->extent[i] > a->extent[i + own] - slab->first[i])
			return false;
	return slab->size == sizeof *slab;
}

static size_t
channels_of(const cli_outputs *o)
{
	for (int i = 0; i < o->n; i++)
		if (o->arrays[i].axis[0] == WS_AXIS_CHANNEL)
			return o->arrays[i].extent[0];
	return 0;
}

/* Steps over so many bytes, aligned; false: there are not so many. */
static bool
step(size_t *at, size_t n, size_t bytes)
{
	if (bytes > n - *at || aligned(bytes) > n - *at)
		return false;
	*at += aligned(bytes);
	return true;
}

ws_status
cli_unpack(const cli_outputs *o, const void *bytes, size_t n, ws_slab *slabs,
           ws_channel_result *result, const uint32_t **sums)
{
	packed_head head;
	const char *data = bytes;
	size_t at = 0;
	bool good = step(&at, n, head_bytes(o, sums));
	if (good) {
		memcpy(&head, data, sizeof head);
		memcpy(slabs, data + sizeof head, (size_t)o->n * sizeof *slabs);
		good = head.channel < channels_of(o);
	}
	const char *counts = data + head_bytes(o, false);
	for (int i = 0; i < o->n && good; i++) {
		const size_t values = at;
		good = is_inside(&o->arrays[i], &slabs[i])
		       && step(&at, n, slab_bytes(&o->arrays[i], &slabs[i]));
		slabs[i].data = slabs[i].data && good ? data + values : NULL;
		if (!sums || !good)
			continue;
		size_t count;
		memcpy(&count, counts + (size_t)i * sizeof count, sizeof count);
		sums[i] = count ? (const uint32_t *)(const void *)(data + at) : NULL;
		good = count <= n / sizeof(uint32_t) && step(&at, n, count * sizeof(uint32_t));
	}
	if (!good || at != n)
		return WSI_FAIL(WS_E_FORMAT, "%zu bytes are no result of these arrays", n);
	*result = (ws_channel_result){ .size = sizeof *result, .channel = head.channel,
		.block = head.block, .slabs = slabs, .n_slabs = (size_t)o->n };
	return WS_OK;
}
