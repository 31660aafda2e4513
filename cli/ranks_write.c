/* ranks_write.c - a result that all ranks write. */
#include "ranks_write.h"

#include <stdlib.h>
#include <string.h>

#include "base/element.h"
#include "base/status.h"
#include "message.h"
#include "values.h"

/* ---- One file ------------------------------------------------------------------------- */

/* What ranks share of wsi_places beside the places, as numbers. */
enum { NAME_NUMBERS = sizeof((wsi_places *)0)->temp / sizeof(int64_t) };
typedef struct shared_file {
	int64_t n, inode, name[NAME_NUMBERS];
} shared_file;

ws_status
cli_ranks_share_places(cli_ranks *r, wsi_writer *writer, wsi_places *p)
{
	shared_file file = { 0 };
	*p = (wsi_places){ 0 };
	if (writer)
		WSI_TRY(wsi_writer_places(writer, p));
	file.n = (int64_t)p->n;
	file.inode = (int64_t)p->inode;
	memcpy(file.name, p->temp, sizeof p->temp);
	WSI_TRY(cli_ranks_share(r, (int64_t *)&file, sizeof file / sizeof(int64_t)));
	p->n = (size_t)file.n;
	p->inode = (uint64_t)file.inode;
	memcpy(p->temp, file.name, sizeof p->temp);
	if (!p->at)
		p->at = calloc(p->n + 1, sizeof *p->at);
	if (!p->at)
		return WSI_FAIL(WS_E_NOMEM, "no memory for the places of %zu rows", p->n);
	return cli_ranks_share(r, (int64_t *)p->at, p->n);
}

ws_status
cli_ranks_agree_to_write(cli_ranks *r, const wsi_writer *writer, bool joined, const char *output,
                         bool *all)
{
	const bool apart = cli_ranks_here(r) < cli_ranks_count(r);
	char name[CLI_SHOWN];
	int64_t may[2] = { !apart, joined && (!apart || wsi_writer_is_shared(writer)) };
	WSI_TRY(cli_ranks_agree(r, may, 2));
	*all = may[1];
	if (!may[1])
		cli_note("%s: rank 0 writes all of it: %s", cli_shown(output, name), may[0]
		         ? "others cannot open it" : "its file system, seen from several machines, "
		         "does not let them write one file (NFS and the like)");
	return WS_OK;
}

/* ---- A result as a message ------------------------------------------------------------- */

typedef struct result_head {
	uint64_t channel, block;
} result_head;

/* Before the values of each array and its sums, each aligned. */
typedef struct array_head {
	ws_slab slab;
	uint64_t sums;
} array_head;

static size_t
slab_bytes(const ws_array *a, const ws_slab *slab)
{
	size_t bytes = slab->data ? wsi_type_size(a->type) : 0;
	const int axes = a->rank - (a->axis[0] == WS_AXIS_CHANNEL);
	for (int i = 0; i < axes; i++)
		bytes *= slab->extent[i];
	return bytes;
}

static size_t
aligned(size_t bytes)
{
	return (bytes + 15) / 16 * 16;
}

size_t
cli_result_bytes(const cli_outputs *o, const ws_channel_result *r, const size_t *n_sums)
{
	size_t bytes = sizeof(result_head) + aligned((size_t)o->n * sizeof(array_head));
	for (int i = 0; i < o->n; i++)
		bytes += aligned(slab_bytes(&o->arrays[i], &r->slabs[i]))
		         + aligned(n_sums[i] * sizeof(uint32_t));
	return bytes;
}

static char *
append(char *to, const void *data, size_t bytes)
{
	if (bytes)
		memcpy(to, data, bytes);
	return to + aligned(bytes);
}

void
cli_result_pack(const cli_outputs *o, const ws_channel_result *r, const uint32_t *const *sums,
                const size_t *n_sums, char *to)
{
	const result_head head = { r->channel, r->block };
	char *heads = append(to, &head, sizeof head);
	to = heads + aligned((size_t)o->n * sizeof(array_head));
	for (int i = 0; i < o->n; i++) {
		const array_head array = { r->slabs[i], n_sums[i] };
		memcpy(heads + (size_t)i * sizeof array, &array, sizeof array);
		to = append(to, r->slabs[i].data, slab_bytes(&o->arrays[i], &r->slabs[i]));
		to = append(to, sums[i], n_sums[i] * sizeof(uint32_t));
	}
}

void
cli_result_unpack(const cli_outputs *o, const char *message, ws_channel_result *r, ws_slab *slabs,
                  const uint32_t **sums)
{
	result_head head;
	array_head array;
	memcpy(&head, message, sizeof head);
	const char *heads = message + sizeof head;
	const char *from = heads + aligned((size_t)o->n * sizeof array);
	for (int i = 0; i < o->n; i++) {
		memcpy(&array, heads + (size_t)i * sizeof array, sizeof array);
		slabs[i] = array.slab;
		const size_t bytes = slab_bytes(&o->arrays[i], &slabs[i]);
		slabs[i].data = bytes || array.slab.data ? from : NULL;
		from += aligned(bytes);
		sums[i] = array.sums ? (const uint32_t *)(const void *)from : NULL;
		from += aligned(array.sums * sizeof(uint32_t));
	}
	*r = (ws_channel_result){ .size = sizeof *r, .channel = head.channel, .block = head.block,
		.slabs = slabs };
}
