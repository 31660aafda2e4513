/* coherence.c - what the program knows of coherence: the levels that unrelated channels seldom
 * exceed, that there are none, and clusters above them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cluster.h"
#include "base/element.h"
#include "base/status.h"
#include "family.h"
#include "io/read/pauses.h"
#include "values.h"

enum { LEVELS = 2, TOLD = 8 }; /* of coherence, of phase locking; clusters that are told */

#define SMALL 0.0500001  /* p: 0.05 as f32 has it, too */

typedef struct cluster {
	double p, low, high, from, to; /* Hz, s */
	size_t channel, with;
	int of;                  /* 0: of coherence, 1: of phase locking */
} cluster;

typedef struct levels {
	double low[LEVELS], high[LEVELS]; /* over pairs and frequencies; high 0: there is none */
	size_t clusters[LEVELS], small[LEVELS]; /* how many, and with a p of 0.05 or less */
	cluster told[TOLD];      /* the least p of these, rising */
	size_t n_told;
} levels;

static void
add_level(levels *l, int k, double value)
{
	if (!(value > 0))
		return;
	l->low[k] = l->high[k] > 0 ? fmin(l->low[k], value) : value;
	l->high[k] = fmax(l->high[k], value);
}

/* Keeps those with the least p. */
static void
add_cluster(levels *l, const cluster *c)
{
	size_t at = l->n_told;
	while (at > 0 && l->told[at - 1].p > c->p)
		at--;
	l->clusters[c->of]++;
	l->small[c->of] += c->p <= SMALL;
	if (c->p > SMALL || at == TOLD)
		return;
	l->n_told += l->n_told < TOLD;
	for (size_t k = l->n_told - 1; k > at; k--)
		l->told[k] = l->told[k - 1];
	l->told[at] = *c;
}

/* Where a cluster of `cells` is, in an array whose last axes are frequency and time. */
static void
place_cluster(const cli_outcome *o, int array, const size_t *cells, size_t n, cluster *c)
{
	const int rank = o->outputs->arrays[array].rank;
	const size_t columns = o->outputs->arrays[array].extent[rank - 1];
	c->low = c->from = HUGE_VAL;
	c->high = c->to = -HUGE_VAL;
	for (size_t k = 0; k < n; k++) {
		double hz = 0, t = (double)(cells[k] % columns) / o->in->fs;
		cli_axis_value(o->outputs, array, rank - 2, cells[k] / columns, &hz);
		cli_axis_value(o->outputs, array, rank - 1, cells[k] % columns, &t);
		t += wsi_input_first_time(o->in);
		c->low = fmin(c->low, hz);
		c->high = fmax(c->high, hz);
		c->from = fmin(c->from, t);
		c->to = fmax(c->to, t);
	}
}

/* The clusters of a pair, of whose cells p tells the share; those without one have 1. */
static ws_status
add_clusters(levels *l, const cli_outcome *o, int array, const void *p, cluster c)
{
	const ws_array *a = &o->outputs->arrays[array];
	const size_t rows = a->extent[a->rank - 2], columns = a->extent[a->rank - 1];
	uint8_t *map = malloc(rows * columns);
	size_t *cells = malloc(rows * columns * sizeof *cells), n;
	for (size_t i = 0; map && cells && i < rows * columns; i++)
		map[i] = wsi_real_at(p, a->type, i) < 1;
	for (size_t i = 0; map && cells && i < rows * columns; i++) {
		if (!map[i])
			continue;
		wsi_cluster_take(map, rows, columns, i, cells, &n);
		c.p = wsi_real_at(p, a->type, i);
		place_cluster(o, array, cells, n, &c);
		add_cluster(l, &c);
	}
	const bool there = map && cells;
	free(map);
	free(cells);
	return there ? WS_OK : WSI_FAIL(WS_E_NOMEM, "not enough memory for the summary");
}

/* Levels, of coherence and of locking, then clusters, of one channel's pairs and of all pairs. */
static const int level_arrays[LEVELS][4] = {
	{ WS_COHERENCE_SIGNIFICANCE, WS_COHERENCE_SIGNIFICANCE_PAIRS,
	  WS_COHERENCE_SHUFFLED_SIGNIFICANCE, WS_COHERENCE_SHUFFLED_SIGNIFICANCE_PAIRS },
	{ WS_COHERENCE_LOCKING_SIGNIFICANCE, WS_COHERENCE_LOCKING_SIGNIFICANCE_PAIRS,
	  WS_COHERENCE_SHUFFLED_LOCKING_SIGNIFICANCE,
	  WS_COHERENCE_SHUFFLED_LOCKING_SIGNIFICANCE_PAIRS },
};
static const int cluster_arrays[LEVELS][2] = {
	{ WS_COHERENCE_CLUSTER_P, WS_COHERENCE_CLUSTER_P_PAIRS },
	{ WS_COHERENCE_LOCKING_CLUSTER_P, WS_COHERENCE_LOCKING_CLUSTER_P_PAIRS },
};

/* Numbers of a slab: the channel's, of all axes but the first. */
static size_t
numbers_of(const cli_outcome *o, const ws_slab *s, int array)
{
	size_t n = s->data ? 1 : 0;
	for (int axis = 1; n && axis < o->outputs->arrays[array].rank; axis++)
		n *= s->extent[axis - 1];
	return n;
}

static ws_status
add(void *state, const cli_outcome *o, const ws_channel_result *r)
{
	const ws_cwt_opts *cwt = o->opts;
	const bool all = cwt->against == WS_AGAINST_ALL;
	for (int i = 0; i < 4 * LEVELS; i++) {
		const int array = level_arrays[i / 4][i % 4];
		const ws_slab *s = &r->slabs[array];
		for (size_t k = 0; k < numbers_of(o, s, array); k++)
			add_level(state, i / 4,
			          wsi_real_at(s->data, o->outputs->arrays[array].type, k));
	}
	for (int k = 0; k < LEVELS; k++) {
		const int array = cluster_arrays[k][all];
		const ws_array *a = &o->outputs->arrays[array];
		const ws_slab *s = &r->slabs[array];
		const size_t n = numbers_of(o, s, array), pairs = all ? a->extent[1] : 1;
		/* Of all pairs each is there twice. */
		for (size_t with = 0; n && with < (all ? r->channel : 1); with++)
			WSI_TRY(add_clusters(state, o, array, (const char *)s->data + with *
			                     (n / pairs) * wsi_type_size(a->type), (cluster){
				.channel = r->channel, .of = k,
				.with = all ? with : (size_t)cwt->against }));
	}
	return WS_OK;
}

/* Levels of single cells and clusters have a row of time. */
static bool
reads(int array)
{
	bool is = false;
	for (int i = 0; i < 2 * LEVELS; i++)
		is |= level_arrays[i / 2][2 + i % 2] == array
		        || cluster_arrays[i / 2][i % 2] == array;
	return is;
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
print_clusters(const levels *l, const cli_outcome *o)
{
	static const char *const of[LEVELS] = { "coherence", "phase locking" };
	printf("\ncluster of touching cells above the level: of coherence %zu, %zu of p <= 0.05; "
	       "of phase locking %zu, %zu\n", l->clusters[0], l->small[0], l->clusters[1],
	       l->small[1]);
	for (size_t i = 0; i < l->n_told; i++) {
		const cluster *c = &l->told[i];
		char p[32], low[32], high[32], from[WSI_MOMENT_TEXT], to[WSI_MOMENT_TEXT];
		printf("        p %s, %s of %s and %s, %s to %s %s, %s to %s\n",
		       cli_format_figures(c->p, 2, p), of[c->of],
		       wsi_input_name(o->in, c->channel), wsi_input_name(o->in, c->with),
		       cli_format_figures(c->low, 3, low), cli_format_figures(c->high, 3, high),
		       o->in->fs_known ? "Hz" : "/sample",
		       wsi_tell_moment(o->in->rec, c->from, o->in->fs, from),
		       wsi_tell_moment(o->in->rec, c->to, o->in->fs, to));
	}
	if (l->small[0] + l->small[1] > l->n_told)
		printf("        and %zu more\n", l->small[0] + l->small[1] - l->n_told);
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
		         : cwt->significance == WS_SIGNIFICANCE_SHUFFLE
		         ? "epochs of one channel shuffled, evoked responses kept"
		         : "the channels, phases at random");
	else
		snprintf(over, sizeof over, "of %zu independent epochs", o->in->n_epochs);
	printf("\nlevel   %g, at one time and frequency, %s: coherence %s, phase locking %s\n"
	       "        unrelated channels stay below it; one source heard by both does not, but "
	       "leaves the imaginary part at 0\n", cwt->level, over, range_of(l, 0, coherence),
	       range_of(l, 1, locking));
	if (cwt->clusters)
		print_clusters(l, o);
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
	json_t *list = json_array();
	for (size_t i = 0; i < l->n_told; i++) {
		const cluster *c = &l->told[i];
		json_array_append_new(list, json_pack(
			"{s:s,s:s,s:s,s:o,s:[o,o],s:[o,o]}", "of", c->of ? "phase_locking"
			: "coherence", "channel", wsi_input_name(o->in, c->channel), "with",
			wsi_input_name(o->in, c->with), "p", cli_json_real(c->p), "frequency",
			cli_json_real(c->low), cli_json_real(c->high), "time",
			cli_json_real(c->from), cli_json_real(c->to)));
	}
	json_object_set_new(root, "clusters", list);
}

const cli_family cli_family_coherence = {
	.name = "cwt", .transform = "coherence", .size = sizeof(levels), .add = add,
	.reads = reads, .print = print, .json = json,
};
