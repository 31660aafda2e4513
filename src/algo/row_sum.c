/* row_sum.c - the sum of many rows in a fixed order. */
#include "algo/row_sum.h"

int
wsi_blocks_of(int n)
{
	return (n + WSI_BLOCK_ROWS - 1) / WSI_BLOCK_ROWS;
}

wsi_members
wsi_own_members(const wsi_work *w, int n)
{
	const int64_t blocks = wsi_blocks_of(n);
	const int64_t first = blocks * w->rank / w->size * WSI_BLOCK_ROWS;
	const int64_t end = blocks * (w->rank + 1) / w->size * WSI_BLOCK_ROWS;
	return (wsi_members){ (int)first, end < n ? (int)end : n };
}

wsi_row_sum
wsi_row_sum_take(const wsi_work *w, wsi_engine *e, int n, int many)
{
	int nodes = 2; /* one more than the blocks fill: room for the block at hand */
	for (int blocks = wsi_blocks_of(n); blocks > 1; blocks /= 2)
		++nodes;
	/* A part that begins anywhere has nodes that grow, then nodes that shrink. */
	nodes = w->size > 1 ? 2 * nodes : nodes;
	const int first = wsi_own_members(w, n).first / WSI_BLOCK_ROWS;
	wsi_row_sum sum = { .work = w, .rows = e->take(e, nodes * many, WSI_USED_OFTEN),
		            .many = many, .sums = many, .first = first, .next = first };
	if (w->size > 1)
		sum.shown = wsi_arena_take(e->arena, (size_t)nodes * wsi_row_bytes(w));
	return sum;
}

/* A node of all sums. */
static wsi_rows
node_rows(const wsi_row_sum *sum, int node)
{
	return wsi_some_rows(sum->rows, node * sum->many, sum->sums);
}

/* The row behind the others is that of a node: neighbours are added, as far as both are there. */
static void
push(wsi_engine *e, wsi_row_sum *sum, wsi_node node)
{
	sum->node[sum->depth++] = node;
	while (sum->depth > 1) {
		const wsi_node *last = &sum->node[sum->depth - 1], *before = last - 1;
		const int both = 2 << last->level;
		if (before->level != last->level || before->first % both)
			return;
		const wsi_rows to = node_rows(sum, sum->depth - 2);
		e->add(e, to, node_rows(sum, sum->depth - 1), to);
		sum->node[--sum->depth - 1].level++;
	}
}

void
wsi_row_sum_add(wsi_engine *e, wsi_row_sum *sum, wsi_rows rows, int apart)
{
	for (int i = 0; i < rows.n; i += WSI_BLOCK_ROWS) {
		const int n = rows.n - i < WSI_BLOCK_ROWS ? rows.n - i : WSI_BLOCK_ROWS;
		e->sum(e, node_rows(sum, sum->depth), wsi_some_rows(rows, i, n), apart);
		push(e, sum, (wsi_node){ sum->next++, 0 });
	}
}

/* Takes the nodes of all devices in order, instead of this one's.  False: one of them failed. */
static bool
exchange(wsi_engine *e, wsi_row_sum *sum)
{
	const wsi_work *w = sum->work;
	wsi_peers *peers = w->io->peers;
	const size_t bytes = wsi_row_bytes(w);
	if (sum->depth)
		e->get(e, sum->shown, bytes, wsi_some_rows(sum->rows, 0, sum->depth), NULL, NULL);
	sum->shown_depth = sum->depth;
	memcpy(sum->shown_node, sum->node, sizeof sum->node);
	peers->shown[w->rank] = sum;
	if (!wsi_peers_meet(peers))
		return false;
	sum->depth = 0;
	for (int rank = 0; rank < w->size; ++rank) {
		const wsi_row_sum *of = peers->shown[rank];
		for (int i = 0; i < of->shown_depth; ++i) {
			e->put(e, wsi_some_rows(sum->rows, sum->depth, 1),
			       of->shown + (size_t)i * bytes, bytes, NULL);
			push(e, sum, of->shown_node[i]);
		}
	}
	return wsi_peers_meet(peers);
}

void
wsi_row_sum_mean(wsi_engine *e, wsi_row_sum *sum, double divisor, wsi_rows y)
{
	const wsi_work *w = sum->work;
	if (w->size > 1 && (wsi_cancelled(e->progress) || !exchange(e, sum))) {
		wsi_progress_cancel(e->progress);
		return;
	}
	/* What is left, the smallest first. */
	for (int i = sum->depth - 1; i > 0; --i) {
		const wsi_rows to = node_rows(sum, i - 1);
		e->add(e, to, to, node_rows(sum, i));
	}
	e->divide(e, y, node_rows(sum, 0), divisor);
	sum->depth = 0;
	sum->next = sum->first;
}

int
wsi_chunk_rows(int wanted, int n)
{
	int rows = (wanted + WSI_BLOCK_ROWS - 1) / WSI_BLOCK_ROWS * WSI_BLOCK_ROWS;
	return rows < n ? rows : n;
}

int
wsi_group_channels(const wsi_work *w, const wsi_engine *e, int rows)
{
	if (w->size > 1 || e->gathers <= rows)
		return 1;
	const size_t wanted = ((size_t)e->gathers + (size_t)rows - 1) / (size_t)rows;
	return (int)(wanted < w->channels ? wanted : w->channels);
}
