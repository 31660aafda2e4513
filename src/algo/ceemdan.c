/*
 * ceemdan.c - CEEMDAN (Torres et al. 2011) and Improved CEEMDAN (Colominas
 * et al. 2014).
 *
 * Both add a mode of noise to the residue r, decompose a single mode, and
 * average over realizations; E_k is the k-th mode by EMD, M(y) = y - E_1(y).
 *     CEEMDAN    c_k = mean_i E_1(r + b E_{k-1}(w_i)),  E_0(w) = w;  r -= c_k
 *     Improved   r'  = mean_i M(r + b E_k(w_i));        c_k = r - r'
 *     b = noise std(r), divided by the std of the noise term at constant SNR,
 *         and at the first stage of the improved method always.
 * Noise modes are extracted when their stage comes and serve all channels, which go through the
 * stage in groups: all realizations of a group's channels are handed out together.  An engine that
 * waits for the slowest row of a job gets the noise of the next stage beside the last group's rows.
 * The residue of a noise counts as its last mode (wsi_params.noise_residue); a
 * realization whose noise has no mode left decomposes r alone.
 */
#include "algo/algo.h"
#include "algo/row_sum.h"
#include "base/element.h"

typedef struct ceemdan {
	bool improved, ahead;   /* ahead: a stage's noise is sifted beside the stage before */
	int realizations, chunk, group;
	wsi_members own;        /* of them, those of this device */
	wsi_rows state;         /* [own realization] residue of its noise */
	int made;               /* terms of this stage are in noise already; -1: of none */
	wsi_rows noise;         /* [chunk] noise terms of this stage; ahead: [own realization] */
	wsi_rows out;           /* [channel of group][chunk] what each realization contributes;
	                           ahead: then [chunk] noise terms of the next stage */
	wsi_rows mean, rest;    /* [channel of group]; mean: also what r alone contributes */
	wsi_rows r;             /* [channel] */
	wsi_row_sum *sum;       /* [group] */
	wsi_extent *input;      /* [channel] */
	double *std;            /* [channel] of r */
	bool *splits;           /* [channel] r has modes left */
	wsi_extent *noise_input; /* [realization] */
	bool *alive;            /* [realization] its noise has modes left */
	double *noise_std;      /* as noise; 0: no noise term */
	/* [channel of group][chunk], ahead: and [chunk] of noise: */
	double *scale;          /* b */
	bool *active;           /* it has a noise term, the channel modes */
	wsi_extent *y_input;
	wsi_sifted *sifted;
} ceemdan;

/* Channels first .. end - 1, which go through a stage together. */
typedef struct span { size_t first, end; } span;

/* The next *n channels of a span, without a gap between them, that have modes left.  They are
 * looked for from *from on, which becomes the first.  False: there is none. */
static bool
next_run(const ceemdan *c, span g, size_t *from, size_t *n)
{
	while (*from < g.end && !c->splits[*from])
		++*from;
	for (*n = 0; *from + *n < g.end && c->splits[*from + *n];)
		++*n;
	return *n > 0;
}

/* ---- Noise ------------------------------------------------------------------ */

/* The place of realization i0 of a chunk in noise. */
static int
noise_at(const ceemdan *c, int i0)
{
	return c->ahead ? i0 - c->own.first : 0;
}

/* What is used for terms of those of realizations i0.. whose noise had no mode left. */
static void
note_ended(ceemdan *c, wsi_engine *e, wsi_rows state, int i0, int n, const wsi_sifted *sifted)
{
	const int at = noise_at(c, i0);
	for (int i = 0; i < n; ++i)
		if (c->alive[i0 + i] && !sifted[i].oscillates) {
			const wsi_rows last = wsi_some_rows(c->noise, at + i, 1);
			c->alive[i0 + i] = false;
			c->noise_std[at + i] = 0.0;
			if (!e->params->noise_residue)
				continue;
			e->copy(e, last, wsi_some_rows(state, i, 1));
			e->mean_std(e, last, NULL, &c->noise_std[at + i]);
		}
}

/* Puts the noise terms of realizations i0.., n of them, into noise. */
static void
noise_terms(ceemdan *c, const wsi_work *w, wsi_engine *e, size_t channel, int stage, int i0, int n)
{
	const wsi_rows state = wsi_some_rows(c->state, i0 - c->own.first, n);
	const wsi_rows term = wsi_some_rows(c->noise, noise_at(c, i0), n);
	double *const std = c->noise_std + noise_at(c, i0);
	if (stage == 0) {
		wsi_noise_rows(w, e, state, channel, i0, 1);
		e->extent(e, state, c->noise_input + i0);
		for (int i = i0; i < i0 + n; ++i)
			c->alive[i] = true;
	}
	if (stage == 0 && !c->improved) {
		e->copy(e, term, state);
		e->mean_std(e, term, NULL, std);
		return;
	}
	wsi_sift_job job = { .r = state, .out = term, .deflate = true, .active = c->alive + i0,
		             .input = c->noise_input + i0, .step = true, .mode = stage,
		             .sifted = c->sifted, .max_sifts = e->params->noise_max_sifts,
		             .std = std };
	e->sift(e, &job);
	if (!wsi_cancelled(e->progress))
		note_ended(c, e, state, i0, n, c->sifted);
}

/* Has the noise of realizations i0.. sifted for the next stage beside a job, in the n rows after
 * its own. */
static void
add_noise(ceemdan *c, wsi_sift_job *job, int i0, int n)
{
	const int rows = wsi_sift_rows(job);
	job->beside = wsi_some_rows(c->state, i0 - c->own.first, n);
	job->out.n += n;
	for (int i = 0; i < n; ++i) {
		c->active[rows + i] = c->alive[i0 + i];
		c->scale[rows + i] = 0.0;
		c->y_input[rows + i] = c->noise_input[i0 + i];
	}
}

/* Takes what came of it, once the terms of this stage have been used. */
static void
take_noise(ceemdan *c, wsi_engine *e, int rows, int i0, int n)
{
	const wsi_rows term = wsi_some_rows(c->noise, noise_at(c, i0), n);
	e->copy(e, term, wsi_some_rows(c->out, rows, n));
	e->mean_std(e, term, NULL, c->noise_std + noise_at(c, i0));
	note_ended(c, e, wsi_some_rows(c->state, i0 - c->own.first, n), i0, n, c->sifted + rows);
}

/* ---- One stage of a group of channels ------------------------------------------- */

/* What rows of y = r + scale b contribute: M(y) if improved; else E_1(y), which is 0 where y
 * has no mode, or y itself (wsi_params.rest_is_mode). */
static void
contribute(ceemdan *c, wsi_engine *e, wsi_sift_job job, wsi_sifted *sifted)
{
	job.rest = c->improved;
	job.input = c->y_input;
	job.max_sifts = e->params->o.max_sifts;
	job.sifted = sifted;
	e->sift(e, &job);
	if (!e->params->rest_is_mode || wsi_cancelled(e->progress))
		return;
	for (int i = 0; i < wsi_sift_rows(&job); ++i) {
		if (sifted[i].oscillates || (job.active && !job.active[i]))
			continue;
		const wsi_rows out = wsi_some_rows(job.out, i, 1),
			r = { wsi_sift_row(&job, i), 0, 1 };
		if (job.scale)
			e->add_scaled(e, out, r, (wsi_rows){ wsi_sift_noise(&job, i), 0, 1 },
			              &job.scale[i]);
		else
			e->copy(e, out, r);
	}
}

/* Realizations of a channel, in n rows of out from `first` on: those without a noise term all
 * contribute what r alone does. */
static void
contribute_bare(ceemdan *c, wsi_engine *e, size_t channel, int first, int n)
{
	int bare = 0;
	for (int i = first; i < first + n; ++i)
		bare += !c->active[i];
	if (bare == 0)
		return;
	const wsi_rows out = wsi_some_rows(c->mean, 0, 1);
	c->y_input[0] = c->input[channel];
	contribute(c, e, (wsi_sift_job){ .r = wsi_some_rows(c->r, (int)channel, 1), .out = out },
	           c->sifted);
	for (int i = first; i < first + n; ++i)
		if (!c->active[i])
			e->copy(e, wsi_some_rows(c->out, i, 1), out);
}

/* How realizations i0.. of a channel are sifted, in n rows from `first` on. */
static void
prepare(ceemdan *c, const wsi_work *w, const wsi_engine *e, size_t channel, int stage, int i0,
        int first, int n)
{
	const ws_emd_opts *o = &e->params->o;
	const bool normalise = stage > 0 ? o->snr == WS_SNR_CONSTANT
	                       : c->improved ||
	                         (o->snr == WS_SNR_CONSTANT && !e->params->noise_as_given);
	const double scale = o->noise * c->std[channel];
	const double *const noise_std = c->noise_std + noise_at(c, i0);
	for (int i = 0; i < n; ++i) {
		const bool noisy = noise_std[i] > 0.0;
		c->active[first + i] = noisy && c->splits[channel];
		c->scale[first + i] = !noisy      ? 0.0
		                      : normalise ? scale / noise_std[i]
		                                  : scale * wsi_noise_unit(w, i0 + i);
		c->y_input[first + i] = c->input[channel];
	}
}

/* ahead: with the noise of the next stage. */
static void
group_chunk(ceemdan *c, const wsi_work *w, wsi_engine *e, span g, int stage, int i0, int n,
            bool ahead)
{
	const int channels = (int)(g.end - g.first);
	const wsi_rows r = wsi_some_rows(c->r, (int)g.first, channels);
	for (int k = 0; k < channels; ++k)
		prepare(c, w, e, g.first + (size_t)k, stage, i0, k * n, n);
	wsi_sift_job job = { .r = channels > 1 ? r : wsi_row_repeated(r, 0, n),
		             .members = channels > 1 ? n : 0,
		             .b = wsi_some_rows(c->noise, noise_at(c, i0), n), .scale = c->scale,
		             .out = wsi_some_rows(c->out, 0, channels * n), .active = c->active,
		             .mode = stage };
	if (ahead)
		add_noise(c, &job, i0, n);
	contribute(c, e, job, c->sifted);
	if (ahead && !wsi_cancelled(e->progress))
		take_noise(c, e, channels * n, i0, n);
	for (int k = 0; k < channels && !wsi_cancelled(e->progress); ++k)
		if (c->splits[g.first + (size_t)k])
			wsi_note_sifts(w, g.first + (size_t)k, stage, c->sifted + k * n, n);
	for (int k = 0; k < channels && !wsi_cancelled(e->progress); ++k)
		if (c->splits[g.first + (size_t)k])
			contribute_bare(c, e, g.first + (size_t)k, k * n, n);
	wsi_row_sum *sum = &c->sum[g.first / (size_t)c->group];
	sum->sums = channels;
	if (!wsi_cancelled(e->progress))
		wsi_row_sum_add(e, sum, wsi_some_rows(c->out, 0, n), n);
}

/* The sign of step i of x: of x[i + 1] - x[i]. */
static int
step_sign(ws_type type, const void *x, size_t i)
{
	const double a = wsi_real_at(x, type, i), b = wsi_real_at(x, type, i + 1);
	return (b > a) - (b < a);
}

/* nnz(diff(sign(diff(r)))) > 2: a plateau, an extremum or not, counts twice.  r is copied to the
 * row of the caller's residues, where it will end up. */
static bool
has_many_extrema(const wsi_work *w, wsi_engine *e, size_t channel, wsi_rows r)
{
	void *x = wsi_residue_row(w, channel);
	e->get(e, x, 0, r, NULL, NULL);
	size_t extrema = 0;
	for (size_t i = 1; i + 1 < w->params->samples; ++i)
		extrema += step_sign(w->params->type, x, i) != step_sign(w->params->type, x, i - 1);
	return extrema > 2;
}

/* ceemdan.m ends at a residue that is an IMF already. */
static bool
is_mode(ceemdan *c, wsi_engine *e, size_t channel)
{
	wsi_sifted sifted;
	wsi_sift_job job = { .r = wsi_some_rows(c->r, (int)channel, 1),
		             .out = wsi_some_rows(c->mean, 0, 1), .input = &c->input[channel],
		             .max_sifts = e->params->o.max_sifts, .sifted = &sifted };
	e->sift(e, &job);
	return sifted.untouched;
}

/* Notes the std of r of n channels, and whether it is to be split further. */
static void
look_at_residues(ceemdan *c, const wsi_work *w, wsi_engine *e, size_t first, int n)
{
	const wsi_rows r = wsi_some_rows(c->r, (int)first, n);
	e->mean_std(e, r, NULL, &c->std[first]);
	if (!e->params->ends_by_extrema)
		e->oscillates(e, r, &c->input[first], &c->splits[first]);
	for (int i = 0; i < n; ++i) {
		bool *splits = &c->splits[first + (size_t)i];
		if (e->params->ends_by_extrema)
			*splits = has_many_extrema(w, e, first + (size_t)i, wsi_some_rows(r, i, 1));
		else if (*splits && e->params->imf_ends)
			*splits = !is_mode(c, e, first + (size_t)i);
	}
}

/* Turns the sums of n channels, whose means begin at row `at`, into their modes and their next
 * residues. */
static void
finish_run(ceemdan *c, const wsi_work *w, wsi_engine *e, size_t first, int n, int at, int stage)
{
	const wsi_rows r = wsi_some_rows(c->r, (int)first, n);
	const wsi_rows mean = wsi_some_rows(c->mean, at, n), rest = wsi_some_rows(c->rest, at, n);
	e->subtract(e, rest, r, mean);
	/* Of mean and rest one is the mode, one the residue. */
	e->copy(e, r, c->improved ? mean : rest);
	if (wsi_leads(w))
		e->get(e, wsi_mode_row(w, first, stage), wsi_channel_stride(w, WS_EMD_MODES),
		       c->improved ? rest : mean, NULL, &c->input[first]);
	for (int i = 0; i < n; ++i)
		wsi_set_mode_count(w, first + (size_t)i, stage + 1);
}

static void
finish_stage(ceemdan *c, const wsi_work *w, wsi_engine *e, span g, int stage)
{
	wsi_row_sum_mean(e, &c->sum[g.first / (size_t)c->group], c->realizations,
	                 wsi_some_rows(c->mean, 0, (int)(g.end - g.first)));
	if (wsi_cancelled(e->progress))
		return;
	for (size_t at = g.first, n; next_run(c, g, &at, &n); at += n)
		finish_run(c, w, e, at, (int)n, (int)(at - g.first), stage);
	/* These need the rows of means. */
	for (size_t at = g.first, n; next_run(c, g, &at, &n); at += n)
		look_at_residues(c, w, e, at, (int)n);
}

/* ---- The whole ------------------------------------------------------------------ */

/* Tells that steps step .. step + some - 1 of a chunk of n realizations from i0 begin.  Step 0 is
 * its noise, each other one a channel. */
static void
tell_step(const ceemdan *c, const wsi_work *w, wsi_engine *e, size_t first, size_t last, int stage,
          int i0, int n, size_t step, size_t some)
{
	const double group = (double)(last - first), steps = group + 1.0;
	double done[2];
	for (int end = 0; end < 2; ++end) {
		const double all = (double)(c->own.end - c->own.first);
		const double members = (double)(i0 - c->own.first) +
		                       n * (double)(step + (end ? some : 0)) / steps;
		const double modes = wsi_share_of_modes(e->params, (double)stage + members / all);
		done[end] = ((double)first + group * modes) / (double)w->channels;
	}
	wsi_progress_step(e->progress, done[0], done[1]);
}

static span
group_from(const ceemdan *c, size_t first, size_t last)
{
	const size_t n = (size_t)c->group;
	return (span){ first, last - first < n ? last : first + n };
}

static bool
any_splits(const ceemdan *c, span g)
{
	size_t n;
	return next_run(c, g, &g.first, &n);
}

/* Is the noise of the next stage sifted beside the last group of this one?  Where channels have
 * come to their ends there may be no next stage. */
static bool
looks_ahead(const ceemdan *c, const wsi_engine *e, size_t first, size_t last, int stage)
{
	if (!c->ahead || stage + 1 >= e->params->o.modes)
		return false;
	for (size_t channel = first; channel < last; ++channel)
		if (!c->splits[channel])
			return false;
	return true;
}

/* One stage of channels first .. last - 1, which share their noise. */
static bool
run_stage(ceemdan *c, const wsi_work *w, wsi_engine *e, size_t first, size_t last, int stage)
{
	const bool ahead = looks_ahead(c, e, first, last, stage), made = c->made == stage;
	for (int i0 = c->own.first; i0 < c->own.end; i0 += c->chunk) {
		const int n = c->own.end - i0 < c->chunk ? c->own.end - i0 : c->chunk;
		tell_step(c, w, e, first, last, stage, i0, n, 0, 1);
		if (e->params->o.noise > 0.0 && !made)
			noise_terms(c, w, e, first, stage, i0, n);
		else if (!made)
			memset(c->noise_std, 0, (size_t)n * sizeof *c->noise_std);
		span g = group_from(c, first, last);
		for (; g.first < last && !wsi_cancelled(e->progress);
		     g = group_from(c, g.end, last)) {
			tell_step(c, w, e, first, last, stage, i0, n, g.first - first + 1,
			          g.end - g.first);
			if (any_splits(c, g))
				group_chunk(c, w, e, g, stage, i0, n, ahead && g.end == last);
		}
		if (wsi_cancelled(e->progress))
			return false;
	}
	c->made = ahead ? stage + 1 : -1;
	for (span g = group_from(c, first, last); g.first < last; g = group_from(c, g.end, last))
		if (any_splits(c, g))
			finish_stage(c, w, e, g, stage);
	return any_splits(c, (span){ first, last });
}

static void
decompose(ceemdan *c, const wsi_work *w, wsi_engine *e, size_t first, size_t last)
{
	const wsi_rows r = wsi_some_rows(c->r, (int)first, (int)(last - first));
	wsi_put_input(w, e, r, first, c->input + first);
	e->mean_std(e, r, NULL, c->std + first);
	if (!e->params->ends_by_extrema)
		e->oscillates(e, r, c->input + first, c->splits + first);
	for (size_t channel = first; channel < last; ++channel) {
		/* A reference that looks at residues only makes one mode of any signal. */
		if (e->params->ends_by_extrema)
			c->splits[channel] = c->std[channel] > 0.0;
		wsi_set_mode_count(w, channel, 0);
	}
	bool any = any_splits(c, (span){ first, last });
	c->made = -1;
	for (int stage = 0; stage < e->params->o.modes && any; ++stage)
		any = run_stage(c, w, e, first, last, stage);
	wsi_get_residue(w, e, r, first, c->input + first);
}

/* Can noise be sifted beside the rows of a group, as it would be by itself? */
static bool
may_go_ahead(const ceemdan *c, const wsi_engine *e)
{
	const wsi_params *p = e->params;
	return e->beside >= c->chunk && p->o.noise > 0.0 && p->noise_max_sifts == p->o.max_sifts
	       && !p->rest_is_mode;
}

/* Takes all but what realizations share; rows: of a group. */
static void
take_channels(ceemdan *c, const wsi_work *w, wsi_engine *e, size_t rows)
{
	const size_t groups = (w->channels + (size_t)c->group - 1) / (size_t)c->group;
	rows += c->ahead ? (size_t)c->chunk : 0;
	c->out = e->take(e, (int)rows, WSI_USED_OFTEN);
	c->mean = e->take(e, c->group, WSI_USED_OFTEN);
	c->rest = e->take(e, c->group, WSI_USED_OFTEN);
	c->r = e->take(e, (int)w->channels, WSI_USED_OFTEN);
	c->sum = wsi_arena_take(e->arena, groups * sizeof *c->sum);
	for (size_t i = 0; i < groups; ++i) {
		wsi_row_sum sum = wsi_row_sum_take(w, e, c->realizations, c->group);
		if (c->sum)
			c->sum[i] = sum;
	}
	c->input = wsi_arena_take(e->arena, w->channels * sizeof *c->input);
	c->std = wsi_arena_take(e->arena, w->channels * sizeof *c->std);
	c->splits = wsi_arena_take(e->arena, w->channels * sizeof *c->splits);
	c->scale = wsi_arena_take(e->arena, rows * sizeof *c->scale);
	c->active = wsi_arena_take(e->arena, rows * sizeof *c->active);
	c->y_input = wsi_arena_take(e->arena, rows * sizeof *c->y_input);
	c->sifted = wsi_arena_take(e->arena, rows * sizeof *c->sifted);
}

void
wsi_ceemdan(const wsi_work *w, wsi_engine *e)
{
	const int n = e->params->o.realizations;
	const bool shared = e->params->o.channel_noise == WS_NOISE_SHARED;
	ceemdan c = { .improved = e->params->o.method == WS_METHOD_ICEEMDAN, .realizations = n,
		      .own = wsi_own_members(w, n) };
	const int own = c.own.end - c.own.first;
	const size_t members = (size_t)n;
	c.chunk = wsi_chunk_rows(w->rows, own);
	c.group = shared ? wsi_group_channels(w, e, c.chunk) : 1;
	c.ahead = may_go_ahead(&c, e);
	c.state = e->take(e, own, WSI_USED_SELDOM);
	c.noise = e->take(e, c.ahead ? own : c.chunk, WSI_USED_OFTEN);
	take_channels(&c, w, e, (size_t)c.group * (size_t)c.chunk);
	c.noise_input = wsi_arena_take(e->arena, members * sizeof *c.noise_input);
	c.alive = wsi_arena_take(e->arena, members * sizeof *c.alive);
	c.noise_std = wsi_arena_take(e->arena, (size_t)(c.ahead ? own : c.chunk) *
	                             sizeof *c.noise_std);
	if (e->measuring)
		return;
	if (shared)
		decompose(&c, w, e, 0, w->channels);
	else
		for (size_t channel = 0; channel < w->channels && !wsi_cancelled(e->progress);
		     ++channel)
			decompose(&c, w, e, channel, channel + 1);
}
