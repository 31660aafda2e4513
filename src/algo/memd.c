/*
 * memd.c - multivariate EMD (Rehman & Mandic 2010): as EMD, but the channels of
 * a signal are sifted together, by the envelopes of their projections.
 *
 * Noise-assisted (Rehman & Mandic 2011): channels of white noise are sifted
 * along and dropped.
 */
#include "algo/algo.h"

typedef struct memd {
	wsi_rows r, mode;       /* [channel], then noise */
	wsi_extent *input;      /* [row] */
	wsi_extent *left;       /* [row] of r */
	double *std;            /* [row] or energies */
	double energy;          /* of the channels at first */
	size_t channels;        /* without noise */
} memd;

/* Puts the channels from `first` on into rows, each over the power of two nearest its standard
 * deviation: those of large units do not decide alone where the envelopes lie.  Powers of two, so
 * that modes in the channels' units add up to the input as they do without. */
static void
put_standardized(memd *m, const wsi_work *w, wsi_engine *e, wsi_rows rows, size_t first)
{
	const wsi_range *x = w->x + first;
	for (int i = 0; i < rows.n; ++i)
		m->input[i] = wsi_extent_brought(w->params, x[i], wsi_exponent_of(x[i]));
	e->put(e, rows, wsi_input_row(w, first), w->io->x_stride, m->input);
	e->mean_std(e, rows, NULL, m->std);
	for (int i = 0; i < rows.n; ++i) {
		int exponent = 0;
		/* A constant one has none: its own magnitude serves. */
		if (m->std[i] > 0.0 && frexp(m->std[i], &exponent) < sqrt(0.5))
			--exponent;
		m->input[i] = wsi_extent_brought(w->params, x[i],
		                                 m->input[i].exponent + exponent);
	}
	e->put(e, rows, wsi_input_row(w, first), w->io->x_stride, m->input);
}

/* Noise of the mean power of the channels times noise_power. */
static void
put_noise(memd *m, wsi_engine *e)
{
	const int q = e->params->o.noise_channels, channels = (int)m->channels;
	if (q == 0)
		return;
	const wsi_rows noise = wsi_some_rows(m->r, channels, q);
	e->mean_std(e, wsi_some_rows(m->r, 0, channels), NULL, m->std);
	double power = 0.0;
	for (int c = 0; c < channels; ++c)
		power += m->std[c] * m->std[c];
	const double scale = sqrt(e->params->o.noise_power * power / channels);
	for (int i = 0; i < q; ++i)
		m->std[i] = scale;
	const wsi_rows drawn = wsi_some_rows(m->mode, channels, q);
	e->noise(e, drawn, 0, 0, 1);
	e->zero(e, noise);
	e->add_scaled(e, noise, noise, drawn, m->std);
	e->extent(e, noise, m->input + channels);
}

static double
energy_left(memd *m, wsi_engine *e)
{
	double sum = 0.0;
	e->energy(e, wsi_some_rows(m->r, 0, (int)m->channels), m->std);
	for (size_t c = 0; c < m->channels; ++c)
		sum += m->std[c];
	return sum;
}

/* Is there more to any channel than rounding, and energy that the rule cares for? */
static bool
goes_on(memd *m, wsi_engine *e)
{
	const double ratio = e->params->max_energy_ratio;
	if (ratio > 0.0 && m->energy > ratio * energy_left(m, e))
		return false;
	for (size_t c = 0; c < m->channels; ++c)
		if (m->left[c].range > e->params->tiny_range * m->input[c].range)
			return true;
	return false;
}

/* The loop of one signal's sifts (cpu/emd/sifter.c) on vectors: wsi_joint_job.loop. */
static int
sift_loop(const wsi_params *params, int max_sifts, const wsi_joint_steps *steps, wsi_sifted *out)
{
	const wsi_rule rule = wsi_rule_of(params, max_sifts);
	wsi_sift_stats stats = { .n = (int64_t)params->samples };
	wsi_joint_found found;
	wsi_judge judge = { 0 };
	wsi_verdict verdict = WSI_GO_ON;
	int at = 0;
	for (int i = 0; verdict == WSI_GO_ON; ++i) {
		out->sifts = i;
		if (!steps->find(steps->user, at, &found))
			break;
		out->oscillates = true;
		stats.counts.extrema[WSI_MAX] = found.extrema;
		verdict = judge_extrema(&rule, &judge, i, &stats.counts, found.agrees);
		if (verdict != WSI_GO_ON
		    || !steps->subtract(steps->user, at, judge_wants(&rule, i), &stats))
			break;
		verdict = judge_mean(&rule, i, &stats);
		if (verdict == WSI_IS_MODE || verdict == WSI_CUT_OFF)
			break;
		at = 1 - at;
		out->sifts = i + 1;
	}
	out->unfinished = verdict == WSI_CUT_OFF;
	return at;
}

/* Extracts mode k of the channels from `first` on; false: there is none. */
static bool
next_mode(memd *m, const wsi_work *w, wsi_engine *e, size_t first, int k)
{
	wsi_sifted sifted;
	if (wsi_cancelled(e->progress) || !goes_on(m, e))
		return false;
	const wsi_joint_job job = { .r = m->r, .out = m->mode, .input = m->input,
		                    .max_sifts = e->params->o.max_sifts, .sifted = &sifted,
		                    .left = m->left, .loop = sift_loop,
		                    .peers = w->io->peers, .rank = w->rank,
		                    .size = w->size, .meet = wsi_peers_meet };
	e->sift_joint(e, &job);
	if (wsi_cancelled(e->progress) || !sifted.oscillates)
		return false;
	if (!wsi_leads(w))
		return true;
	e->get_beside(e, wsi_mode_row(w, first, k), wsi_channel_stride(w, WS_EMD_MODES),
	              wsi_some_rows(m->mode, 0, (int)m->channels), m->input);
	for (size_t c = 0; c < m->channels; ++c)
		wsi_note_sifts(w, first + c, k, &sifted, 1);
	return true;
}

/* The signal that starts with channel `first`. */
static void
decompose(memd *m, const wsi_work *w, wsi_engine *e, size_t first)
{
	const wsi_params *p = e->params;
	const double signals = (double)w->channels / (double)m->channels;
	const double at = (double)first / (double)m->channels;
	const wsi_rows channels = wsi_some_rows(m->r, 0, (int)m->channels);
	if (p->o.standardize)
		put_standardized(m, w, e, channels, first);
	else
		wsi_put_input(w, e, channels, first, m->input);
	memcpy(m->left, m->input, m->channels * sizeof *m->left);
	put_noise(m, e);
	if (p->max_energy_ratio > 0.0)
		m->energy = energy_left(m, e);
	int k = 0;
	for (; k < p->o.modes; ++k) {
		wsi_progress_step(e->progress, (at + wsi_share_of_modes(p, k)) / signals,
		                  (at + wsi_share_of_modes(p, k + 1)) / signals);
		if (!next_mode(m, w, e, first, k))
			break;
	}
	wsi_get_residue(w, e, channels, first, m->input);
	for (size_t c = 0; c < m->channels; ++c)
		wsi_set_mode_count(w, first + c, k);
}

void
wsi_memd(const wsi_work *w, wsi_engine *e)
{
	const size_t rows = e->params->together;
	memd m = { .channels = rows - (size_t)e->params->o.noise_channels };
	m.r = e->take(e, (int)rows, WSI_USED_SELDOM);
	m.mode = e->take(e, (int)rows, WSI_USED_SELDOM);
	m.input = wsi_arena_take(e->arena, rows * sizeof *m.input);
	m.left = wsi_arena_take(e->arena, rows * sizeof *m.left);
	m.std = wsi_arena_take(e->arena, rows * sizeof *m.std);
	if (e->measuring)
		return;
	for (size_t first = 0; first < w->channels && !wsi_cancelled(e->progress);
	     first += m.channels)
		decompose(&m, w, e, first);
}
