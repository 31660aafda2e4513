/* ranks_write.c - a result that all ranks write. */
#include "ranks_write.h"

#include <stdlib.h>
#include <string.h>

#include "base/new.h"
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
		WSI_NEW(p->at, p->n + 1, "no memory for the places of %zu rows", p->n);
	return cli_ranks_share(r, (int64_t *)p->at, p->n);
}

ws_status
cli_ranks_agree_to_write(cli_ranks *r, const wsi_writer *writer, bool joined, const char *output,
                         bool *all)
{
	const bool apart = cli_ranks_self(r).locals < cli_ranks_count(r);
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
