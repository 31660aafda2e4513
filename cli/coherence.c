/* coherence.c - what the program knows of coherence: the levels that unrelated channels seldom
 * exceed, and that there are none. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/status.h"
#include "family.h"
#include "message.h"
#include "values.h"

enum { LEVELS = 2 }; /* of coherence, of phase locking */

typedef struct levels {
	double low[LEVELS], high[LEVELS]; /* over pairs and frequencies; high 0: there is none */
} levels;

static ws_status
open_levels(void **state, const cli_outcome *o)
{
	(void)o;
	*state = calloc(1, sizeof(levels));
	return *state ? WS_OK : WSI_FAIL(WS_E_NOMEM, "not enough memory for the summary");
}

static void
add_level(levels *l, int k, double value)
{
	if (!(value > 0))
		return;
	l->low[k] = l->high[k] > 0 ? fmin(l->low[k], value) : value;
	l->high[k] = fmax(l->high[k], value);
}

static ws_status
add(void *state, const cli_outcome *o, const ws_channel_result *r)
{
	static const int arrays[LEVELS][2] = {
		{ WS_COHERENCE_SIGNIFICANCE, WS_COHERENCE_SIGNIFICANCE_PAIRS },
		{ WS_COHERENCE_LOCKING_SIGNIFICANCE, WS_COHERENCE_LOCKING_SIGNIFICANCE_PAIRS } };
	for (int i = 0; i < 2 * LEVELS; i++) {
		const int array = arrays[i / 2][i % 2];
		const ws_slab *s = &r->slabs[array];
		size_t n = s->data ? 1 : 0;
		for (int axis = 1; n && axis < o->outputs->arrays[array].rank; axis++)
			n *= s->extent[axis - 1];
		for (size_t k = 0; k < n; k++)
			add_level(state, i / 2, ((const double *)s->data)[k]);
	}
	return WS_OK;
}

/* "0.72", "0.72 to 0.81" */
static const char *
range_of(const levels *l, int k, char text[80])
{
	char low[32], high[32];
	cli_format_figures(l->low[k], 3, low);
	cli_format_figures(l->high[k], 3, high);
	snprintf(text, 80, l->high[k] > l->low[k] * 1.0005 ? "%s to %s" : "%s", low, high);
	return text;
}

static void
print(const void *state, const cli_outcome *o)
{
	const levels *l = state;
	const ws_cwt_opts *cwt = o->opts;
	char coherence[80], locking[80], over[80];
	cli_family_print(state, o);
	if (!(l->high[0] > 0)) {
		if (o->in->n_channels > 1)
			printf("\nno level is claimed: channels that have nothing to do with each "
			       "other are coherent over time, too (--noise-signals 100)\n");
		return;
	}
	if (cwt->noise_signals)
		snprintf(over, sizeof over, "by %d pairs of signals (%s)", cwt->noise_signals,
		         cwt->significance == WS_SIGNIFICANCE_AR1 ? "red noise as the channels"
		         : "the channels, phases at random");
	else
		snprintf(over, sizeof over, "of %zu independent epochs", o->in->n_epochs);
	printf("\nlevel   %g, at one time and frequency, %s: coherence %s, phase locking %s\n"
	       "        unrelated channels stay below it; one source heard by both does not, but "
	       "leaves the imaginary part at 0\n", cwt->level, over, range_of(l, 0, coherence),
	       range_of(l, 1, locking));
}

static void
json(const void *state, const cli_outcome *o, json_t *root)
{
	static const char *const names[LEVELS] = { "coherence_level", "phase_locking_level" };
	const levels *l = state;
	cli_family_json(state, o, root);
	for (int k = 0; k < LEVELS; k++) {
		json_t *range = l->high[k] > 0 ? json_array() : json_null();
		if (l->high[k] > 0) {
			json_array_append_new(range, cli_json_real(l->low[k]));
			json_array_append_new(range, cli_json_real(l->high[k]));
		}
		json_object_set_new(root, names[k], range);
	}
}

const cli_family cli_family_coherence = {
	.name = "cwt", .transform = "coherence", .open = open_levels, .close = free, .add = add,
	.print = print, .json = json,
};
