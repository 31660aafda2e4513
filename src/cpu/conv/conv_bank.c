/* conv_bank.c - masks of any lengths as kernels want them: sorted, grouped, interleaved. */
#include <math.h>
#include <stdlib.h>

#include "cpu/conv/conv_bank.h"
#include "base/element.h"
#include "base/status.h"

/* Cycles of a tap and vector of outputs, by the rows of the group, measured with AVX-512; others
 * are alike in what matters, that three rows cost less than twice as much as one. */
static const double tap_cost[WSI_CONV_ROWS + 1] = { 0, 1.17, 1.55, 2.05, 2.45, 3.0, 3.45 };
/* What a group costs besides, in taps. */
#define GROUP_COST 4.0

/* A mask in the order of storage. */
typedef struct entry {
	size_t part, length;
	uint32_t mask;
} entry;

static int
shorter(const void *left, const void *right)
{
	const entry *a = left, *b = right;
	if (a->part != b->part)
		return a->part < b->part ? -1 : 1;
	if (a->length != b->length)
		return a->length < b->length ? -1 : 1;
	return a->mask < b->mask ? -1 : 1;
}

ws_status
wsi_masks_check_lengths(const ws_masks *m)
{
	if (m->count == 0 || m->count > (size_t)1 << 24)
		return WSI_FAIL(WS_E_ARG, "%zu masks: there must be 1 to 2^24", m->count);
	if (!m->lengths || !m->values)
		return WSI_FAIL(WS_E_ARG, "ws_masks: lengths and values must be given");
	if ((unsigned)m->type > WS_C64)
		return WSI_FAIL(WS_E_ARG, "ws_masks: the type must be real or complex f64 or f32");
	for (size_t i = 0; i < m->count; ++i) {
		if (m->lengths[i] == 0)
			return WSI_FAIL(WS_E_ARG, "mask %zu is empty: it needs at least one tap",
			                WSI_NO(i));
		if (m->lengths[i] > WSI_MOST_SAMPLES)
			return WSI_FAIL(WS_E_ARG, "mask %zu has %zu taps: " WSI_MOST_SAMPLES_TEXT
			                " are the most", WSI_NO(i), m->lengths[i]);
	}
	return WS_OK;
}

ws_status
wsi_masks_check(const ws_masks *m)
{
	WSI_TRY(wsi_masks_check_lengths(m));
	const size_t parts = wsi_masks_complex(m) ? 2 : 1;
	const ws_type type = wsi_type_part(m->type);
	for (size_t i = 0, at = 0; i < m->count; ++i) {
		at = m->offsets ? m->offsets[i] : at;
		for (size_t k = at * parts; k < (at + m->lengths[i]) * parts; ++k) {
			const double v = wsi_real_at(m->values, type, k);
			if (!isfinite(v))
				return WSI_FAIL(WS_E_ARG, "mask %zu, tap %zu is not finite (%g)",
				                WSI_NO(i), WSI_NO(k / parts - at), v);
		}
		at += m->lengths[i];
	}
	return WS_OK;
}

/* ---- Groups ---------------------------------------------------------------------------- */

/* How many rows end a group at each row, so that all groups together cost least. */
static ws_status
choose_groups(wsi_conv_bank *bank, const entry *entries, uint8_t *rows_of)
{
	const size_t parts = bank->complex ? 2 : 1, rows = bank->masks * parts;
	double *best = malloc((rows + 1) * sizeof *best);
	if (!best)
		return WSI_FAIL(WS_E_NOMEM, "no memory for %zu masks", bank->masks);
	best[0] = 0.0;
	for (size_t i = 0; i < rows; ++i) {
		const entry *last = &entries[i / parts];
		best[i + 1] = HUGE_VAL;
		for (size_t r = 1; r <= WSI_CONV_ROWS && r <= i + 1; ++r) {
			if (entries[(i + 1 - r) / parts].part != last->part)
				break;
			const double cost = best[i + 1 - r] +
			                    tap_cost[r] * ((double)last->length + GROUP_COST);
			if (cost < best[i + 1]) {
				best[i + 1] = cost;
				rows_of[i + 1] = (uint8_t)r;
			}
		}
	}
	bank->cost = best[rows];
	free(best);
	return WS_OK;
}

/* Fills bank->groups and their rows.  Returns the number of values; 0: no memory. */
static size_t
lay_out_groups(wsi_conv_bank *bank, const entry *entries, const uint8_t *rows_of)
{
	const size_t parts = bank->complex ? 2 : 1, rows = bank->masks * parts;
	bank->groups = 0;
	for (size_t i = rows; i > 0; i -= rows_of[i])
		bank->groups++;
	bank->group = malloc(bank->groups * sizeof *bank->group);
	if (!bank->group)
		return 0;
	size_t g = bank->groups, values = 0;
	for (size_t i = rows; i > 0; i -= rows_of[i]) {
		wsi_conv_group *group = &bank->group[--g];
		const size_t length = entries[(i - 1) / parts].length;
		group->rows = rows_of[i];
		group->d0 = -(int64_t)(length / 2);
		group->d1 = group->d0 + (int64_t)length;
		for (int r = 0; r < group->rows; ++r) {
			const size_t row = i - (size_t)group->rows + (size_t)r;
			group->mask[r] = entries[row / parts].mask;
			group->part[r] = (uint8_t)(row % parts);
		}
	}
	for (g = 0; g < bank->groups; ++g) {
		wsi_conv_group *group = &bank->group[g];
		group->taps = values;
		values += (size_t)(group->d1 - group->d0) * (size_t)group->rows;
	}
	return values;
}

/* ---- The bank -------------------------------------------------------------------------- */

/* entries, rows_of: scratch. */
static ws_status
lay_out(wsi_conv_bank *bank, const ws_masks *m, const wsi_conv_shaping *s, entry *entries,
        uint8_t *rows_of)
{
	for (size_t i = 0; i < m->count; ++i) {
		if (s->method[i] != WS_CONV_DIRECT)
			continue;
		entries[bank->masks++] = (entry){ s->part ? i / s->part : 0, m->lengths[i],
			(uint32_t)i };
		bank->longest = m->lengths[i] > bank->longest ? m->lengths[i] : bank->longest;
	}
	if (bank->masks == 0)
		return WS_OK;
	qsort(entries, bank->masks, sizeof *entries, shorter);
	WSI_TRY(choose_groups(bank, entries, rows_of));
	bank->count = lay_out_groups(bank, entries, rows_of);
	return bank->count ? WS_OK : WSI_FAIL(WS_E_NOMEM, "no memory for %zu masks", m->count);
}

ws_status
wsi_conv_bank_lay_out(wsi_conv_bank *bank, const ws_masks *m, const wsi_conv_shaping *s)
{
	*bank = (wsi_conv_bank){ .complex = wsi_masks_complex(m),
		.type = s->type, .part = s->part };
	const size_t rows = m->count * (bank->complex ? 2 : 1);
	entry *entries = malloc(m->count * sizeof *entries);
	uint8_t *rows_of = malloc(rows + 1);
	const ws_status status = entries && rows_of
		? lay_out(bank, m, s, entries, rows_of)
		: WSI_FAIL(WS_E_NOMEM, "no memory for %zu masks", m->count);
	free(entries);
	free(rows_of);
	if (status != WS_OK)
		wsi_conv_bank_free(bank);
	return status;
}

void
wsi_conv_bank_free(wsi_conv_bank *bank)
{
	free(bank->group);
	free(bank->values);
	*bank = (wsi_conv_bank){ 0 };
}
