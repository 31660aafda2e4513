/* hht_bins.c - the table by which a frequency's bin is found (math/bins.h). */
#include <stdlib.h>

#include "cpu/hht/hht.h"
#include "base/status.h"
#include "math/bins.h"

/* Octaves below the last edge that have guesses of their own. */
#define OCTAVES 24

ws_status
wsi_bins_take(wsi_bins *b, int n)
{
	*b = (wsi_bins){ .n = n, .keys = OCTAVES << 8 };
	b->edges = malloc(((size_t)n + 1) * sizeof *b->edges);
	b->guess = malloc(b->keys * sizeof *b->guess);
	if (!b->edges || !b->guess) {
		wsi_bins_free(b);
		return WSI_FAIL(WS_E_NOMEM, "no memory for %d bins", n);
	}
	return WS_OK;
}

void
wsi_bins_guess(wsi_bins *b)
{
	const uint32_t last = bins_key(b->edges[b->n]);
	b->key = last >= b->keys ? last - b->keys + 1 : 0;
	/* The first bin that holds something of this key, or of what is above it. */
	int32_t bin = 0;
	for (uint32_t i = 0; i < b->keys; ++i) {
		while (bin + 1 < b->n && bins_key(b->edges[bin + 1]) < b->key + i)
			++bin;
		b->guess[i] = i ? bin : 0;
	}
	/* Edges of a key, and in the first those below it as well, may all be below f. */
	b->steps = 0;
	int32_t above = 0;
	for (uint32_t i = 0; i < b->keys; ++i) {
		while (above + 1 < b->n && bins_key(b->edges[above + 1]) <= b->key + i)
			++above;
		if (above - b->guess[i] > b->steps)
			b->steps = above - b->guess[i];
	}
}

void
wsi_bins_free(wsi_bins *b)
{
	free(b->edges);
	free(b->guess);
	*b = (wsi_bins){ .n = 0 };
}
