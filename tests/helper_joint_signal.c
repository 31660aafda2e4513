/* helper_joint_signal.c - see joint_signal.h. */
#include "joint_signal.h"

#include <stdlib.h>
#include <string.h>

static size_t
rows_of(const joint *j)
{
	return wsi_joint_rows(j->n) + 4 * j->directions * EXTRAS;
}

static void
put(ws_type type, void *to, size_t i, double v)
{
	if (type == WS_F64)
		((double *)to)[i] = v;
	else
		((float *)to)[i] = (float)v;
}

joint
joint_new(rng *r, ws_type type, size_t channels, size_t directions, size_t n, signal_kind kind)
{
	joint j = { .type = type, .channels = channels, .lanes = wsi_lanes(channels, type_size(type)),
		    .n = n, .directions = directions, .words = WSI_WORDS(n) };
	j.padded = (directions + WSI_DIRECTION_GROUP - 1) / WSI_DIRECTION_GROUP * WSI_DIRECTION_GROUP;
	j.tiles = (n + WSI_JOINT_TILE - 1) / WSI_JOINT_TILE;
	j.h = need(rows_of(&j) * j.lanes * type_size(type));
	j.u = need(j.padded * channels * type_size(type));
	j.middle = need(n * j.lanes * type_size(type));
	memset(j.h, 0, rows_of(&j) * j.lanes * type_size(type));
	memset(j.middle, 0, n * j.lanes * type_size(type));
	double *x = need(n * sizeof *x);
	for (size_t c = 0; c < channels; ++c) {
		signal_make(c % 3 ? (signal_kind)rng_int(r, 0, SIGNAL_KINDS - 1) : kind, r, n, x);
		for (size_t i = 0; i < n; ++i)
			put(type, j.h, i * j.lanes + c, x[i] == 0.0 && i % 3 ? -0.0 : x[i]);
		for (size_t i = n; i < rows_of(&j); ++i)
			put(type, j.h, i * j.lanes + c, rng_normal(r));
		for (size_t i = 0; i < n; ++i)
			put(type, j.middle, i * j.lanes + c, rng_normal(r));
	}
	free(x);
	for (size_t c = 0; c < channels; ++c)
		for (size_t d = 0; d < j.padded; ++d) {
			const double v = d == 0 ? c == 0 : rng_int(r, 0, 9) ? rng_normal(r) : -0.0;
			put(type, j.u, c * j.padded + d, d < directions ? v : 0.0);
		}
	return j;
}

void
joint_free(joint *j)
{
	free(j->h);
	free(j->middle);
	free(j->u);
}
