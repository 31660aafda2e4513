/* similarity.c - the similarity index of two results, mode by mode and channel by channel. */
#include "similarity.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "io/read/selection.h"
#include "message.h"
#include "times.h"

#define CHUNK 65536

/* ---- The index ----------------------------------------------------------------- */

/* Of samples times 2^-exponent, so that no square leaves the range of f64. */
typedef struct moments {
	double n, mean_a, mean_b, aa, bb, ab;
	int exponent_a, exponent_b; /* of the largest samples so far */
} moments;

/* One more pair of samples (Welford): no difference of large sums. */
static void
add(moments *m, double a, double b)
{
	m->n++;
	double da = a - m->mean_a, db = b - m->mean_b;
	m->mean_a += da / m->n;
	m->mean_b += db / m->n;
	m->aa += da * (a - m->mean_a);
	m->bb += db * (b - m->mean_b);
	m->ab += da * (b - m->mean_b);
}

/* Equal rows give exactly 1. */
static double
correlation(const moments *m)
{
	if (m->aa == 0 && m->bb == 0)
		return 1;
	if (m->aa == 0 || m->bb == 0)
		return 0;
	int a = ilogb(m->aa) / 2, b = ilogb(m->bb) / 2;
	return scalbn(m->ab, -a - b) / sqrt(scalbn(m->aa, -2 * a) * scalbn(m->bb, -2 * b));
}

/* Damaged files, and those of others, may hold anything. */
ws_status
cli_similarity_check(const cli_similarity *p, int which, size_t channel, size_t row, size_t first,
             const double *x, size_t count)
{
	const wsi_result *r = which ? p->b : p->a;
	char name[32];
	for (size_t k = 0; k < count; k++) {
		if (isfinite(x[k]))
			continue;
		snprintf(name, sizeof name, "mode %zu", row + 1);
		return WSI_FAIL(WS_E_FORMAT, "%s: channel %s, %s: %g at sample %zu cannot be "
		                "compared; mend the file or choose other channels (--channels)",
		                p->paths[which], r->channel_names[channel],
		                row == WSI_ROW_RESIDUE ? "residue" : name, x[k], first + k + 1);
	}
	return WS_OK;
}

static ws_status
read_rows(const cli_similarity *p, size_t signal, size_t row, size_t first, size_t count,
          double *x)
{
	for (int which = 0; which < 2; which++, x += CHUNK) {
		size_t channel = p->channels[which][signal % p->n_channels];
		WSI_TRY(wsi_result_read(which ? p->b : p->a, signal / p->n_channels, channel, row,
		                        first, count, x));
		WSI_TRY(cli_similarity_check(p, which, channel, row, first, x, count));
	}
	return WS_OK;
}

static int
largest_exponent(const double *x, size_t n)
{
	double largest = 0.0;
	for (size_t k = 0; k < n; k++)
		largest = fmax(largest, fabs(x[k]));
	return largest > 0.0 ? ilogb(largest) : INT_MIN;
}

/* Brings the moments to the scale of samples that may be larger. */
static void
grow(moments *m, int exponent_a, int exponent_b)
{
	const int a = m->n > 0 ? m->exponent_a - exponent_a : 0;
	const int b = m->n > 0 ? m->exponent_b - exponent_b : 0;
	m->mean_a = scalbn(m->mean_a, a);
	m->mean_b = scalbn(m->mean_b, b);
	m->aa = scalbn(m->aa, 2 * a);
	m->bb = scalbn(m->bb, 2 * b);
	m->ab = scalbn(m->ab, a + b);
	m->exponent_a = exponent_a;
	m->exponent_b = exponent_b;
}

static ws_status
correlate(const cli_similarity *p, size_t signal, size_t row, double *x, double *rho)
{
	moments m = { .exponent_a = -2000, .exponent_b = -2000 };
	for (size_t first = 0; first < p->a->samples; first += CHUNK) {
		size_t count = p->a->samples - first < CHUNK ? p->a->samples - first : CHUNK;
		WSI_TRY(read_rows(p, signal, row, first, count, x));
		const int a = largest_exponent(x, count), b = largest_exponent(x + CHUNK, count);
		grow(&m, a > m.exponent_a ? a : m.exponent_a, b > m.exponent_b ? b : m.exponent_b);
		for (size_t k = 0; k < count; k++)
			add(&m, scalbn(x[k], -m.exponent_a), scalbn(x[CHUNK + k], -m.exponent_b));
	}
	*rho = correlation(&m);
	return WS_OK;
}

static int
modes_of(const wsi_result *r, size_t epoch, size_t channel)
{
	return r->mode_count[epoch * r->channels + channel];
}

void
cli_similarity_modes(const cli_similarity *p, size_t signal, int modes[2])
{
	size_t epoch = signal / p->n_channels, i = signal % p->n_channels;
	modes[0] = modes_of(p->a, epoch, p->channels[0][i]);
	modes[1] = modes_of(p->b, epoch, p->channels[1][i]);
}

/* Do the channels have names, not only the numbers that readers give to those
 * of arrays? */
static bool
has_names(const wsi_result *r)
{
	for (size_t i = 0; r->named && i < r->channels; i++) {
		const char *name = r->channel_names[i];
		if (!*name || name[strspn(name, "0123456789")])
			return true;
	}
	return false;
}

const char *
cli_similarity_name(const cli_similarity *p, size_t signal)
{
	size_t i = signal % p->n_channels;
	return has_names(p->a) || !has_names(p->b) ? p->a->channel_names[p->channels[0][i]]
	       : p->b->channel_names[p->channels[1][i]];
}

int
cli_similarity_epoch(const cli_similarity *p, size_t signal)
{
	const wsi_result *r = p->a->epoch_numbers ? p->a : p->b;
	return r->epochs ? wsi_result_epoch(r, signal / p->n_channels) : 0;
}

static ws_status
no_memory(const cli_similarity *p)
{
	return p->kept.failed ? WSI_FAIL(WS_E_NOMEM, "not enough memory for %zu channels",
	                                 p->n_channels) : WS_OK;
}

/* Room for the figures of so many groups. */
ws_status
cli_similarity_groups(cli_similarity *p, size_t n)
{
	const size_t signals = p->n_epochs * p->n_channels;
	p->n_groups = n;
	p->rho = wsi_kept_new(&p->kept, signals * n, sizeof *p->rho);
	p->has = wsi_kept_new(&p->kept, signals * n, sizeof *p->has);
	return no_memory(p);
}

ws_status
cli_similarity_compare(cli_similarity *p)
{
	double *x = wsi_kept_new(&p->kept, 2 * CHUNK, sizeof *x);
	p->matched = wsi_kept_new(&p->kept, p->rows + 1, sizeof *p->matched);
	WSI_TRY(cli_similarity_groups(p, p->rows + 1));
	for (int m = 0; m <= (int)p->rows; m++)
		p->matched[m] = (cli_matched){ { m, m }, { m, m } };
	for (size_t s = 0; s < p->n_epochs * p->n_channels; s++) {
		int modes[2];
		cli_similarity_modes(p, s, modes);
		for (size_t m = 0; m < p->n_groups; m++) {
			const size_t at = s * p->n_groups + m;
			p->rho[at] = NAN;
			p->has[at] = m == p->rows || ((int)m < modes[0] && (int)m < modes[1]);
			if (p->has[at])
				WSI_TRY(correlate(p, s, m < p->rows ? m : WSI_ROW_RESIDUE, x,
				                  &p->rho[at]));
		}
	}
	return WS_OK;
}

/* ---- What is compared ------------------------------------------------------------- */

static ws_status
check_memory(const cli_similarity *p, size_t channels)
{
	return p->kept.failed ? WSI_FAIL(WS_E_NOMEM, "not enough memory for %zu channels", channels)
	       : WS_OK;
}

#define SPAN_TEXT (2 * WSI_MOMENT_TEXT + 4)

/* Where a result lies in the recording, or on the recording's own time axis:
 * "10 s to 14 s", "1965-01-01 to 1970-01-01". */
static const char *
span(const wsi_result *r, bool own_axis, char text[SPAN_TEXT])
{
	char a[WSI_MOMENT_TEXT], b[WSI_MOMENT_TEXT];
	const double first = r->first_time + (own_axis ? r->time_origin : 0);
	const double end = first + (double)r->samples / r->fs;
	if (own_axis || r->time_origin == 0) {
		wsi_tell_moment(r->rec, first, r->fs, a);
		wsi_tell_moment(r->rec, end, r->fs, b);
	} else {
		wsi_format_moment(first, r->time_unit, r->fs, r->fs_known, a);
		wsi_format_moment(end, r->time_unit, r->fs, r->fs_known, b);
	}
	snprintf(text, SPAN_TEXT, "%s to %s", a, b);
	return text;
}

/* Row for row the same samples of a recording; what a file does not tell is
 * taken to be right. */
static ws_status
check_samples(const cli_similarity *p, const char *path_a, const char *path_b)
{
	const wsi_result *a = p->a, *b = p->b;
	/* One of two without a time axis of its own may be of the same recording. */
	const bool own_axes = a->time_origin != 0 && b->time_origin != 0;
	double apart = a->first_time * a->fs - b->first_time * b->fs;
	if (own_axes)
		apart += (a->time_origin - b->time_origin) * a->fs;
	char spans[2][SPAN_TEXT];
	if (a->fs_known && b->fs_known && fabs(a->fs - b->fs) > 1e-6 * a->fs)
		return WSI_FAIL(WS_E_FORMAT, "%s has %.10g samples a second, %s %.10g; compare "
		                "results of one sampling rate", path_a, a->fs, path_b, b->fs);
	if (a->timed && b->timed && fabs(apart) >= 0.5)
		return WSI_FAIL(WS_E_FORMAT, "%s holds %s of its recording, %s %s; compare "
		                "results of one selection", path_a, span(a, own_axes, spans[0]),
		                path_b, span(b, own_axes, spans[1]));
	if (a->samples != b->samples)
		return WSI_FAIL(WS_E_FORMAT, "%s has %zu samples, %s %zu; compare results of one "
		                "selection", path_a, a->samples, path_b, b->samples);
	if (a->epochs != b->epochs)
		return WSI_FAIL(WS_E_FORMAT, "%s has %zu epochs, %s %zu; compare results of "
		                "one selection", path_a, a->epochs, path_b, b->epochs);
	for (size_t i = 0; a->epoch_numbers && b->epoch_numbers && i < a->epochs; i++)
		if (a->epoch_numbers[i] != b->epoch_numbers[i])
			return WSI_FAIL(WS_E_FORMAT, "epoch %d of %s stands where %s has epoch "
			                "%d; compare results of one selection",
			                (int)a->epoch_numbers[i], path_a, path_b,
			                (int)b->epoch_numbers[i]);
	return WS_OK;
}

static ws_status
match_positions(cli_similarity *p, const char *path_a, const char *path_b)
{
	if (p->a->channels != p->b->channels)
		return WSI_FAIL(WS_E_FORMAT, "%s has %zu channels, %s %zu, and not both have "
		                "names to match them by; compare results of one selection", path_a,
		                p->a->channels, path_b, p->b->channels);
	for (size_t i = 0; i < p->a->channels; i++)
		p->channels[0][i] = p->channels[1][i] = i;
	p->n_channels = p->a->channels;
	return WS_OK;
}

/* Each channel of a with the first of that name in b that is still free. */
static void
match_names(cli_similarity *p, bool *taken)
{
	for (size_t i = 0; i < p->a->channels; i++)
		for (size_t k = 0; k < p->b->channels; k++)
			if (!taken[k]
			    && strcmp(p->a->channel_names[i], p->b->channel_names[k]) == 0) {
				p->channels[0][p->n_channels] = i;
				p->channels[1][p->n_channels++] = k;
				taken[k] = true;
				break;
			}
}

/* Says which channels of r are not compared; chosen: the others. */
static void
note_others(const wsi_result *r, const char *path, const size_t *chosen, size_t n)
{
	const char **names = calloc(r->channels + 1, sizeof *names);
	size_t n_names = 0;
	char some[200];
	for (size_t i = 0; names && i < r->channels; i++) {
		size_t k = 0;
		while (k < n && chosen[k] != i)
			k++;
		if (k == n)
			names[n_names++] = r->channel_names[i];
	}
	if (n_names)
		cli_note("only %s has %s; not compared", path,
		         wsi_some_names(names, n_names, some));
	free(names);
}

static ws_status
match_channels(cli_similarity *p, const char *path_a, const char *path_b)
{
	const wsi_result *a = p->a, *b = p->b;
	bool *taken = wsi_kept_new(&p->kept, b->channels, sizeof *taken);
	for (int i = 0; i < 2; i++)
		p->channels[i] = wsi_kept_new(&p->kept, a->channels, sizeof *p->channels[i]);
	WSI_TRY(check_memory(p, a->channels));
	ws_status status = WS_OK;
	char some[2][200];
	/* Numbers are matched with numbers, never with names. */
	if (a->named && b->named && has_names(a) == has_names(b))
		match_names(p, taken);
	else
		status = match_positions(p, path_a, path_b);
	if (status == WS_OK && p->n_channels == 0)
		status = WSI_FAIL(WS_E_FORMAT, "no channel is in both: %s has %s, %s has "
		                  "%s; compare results of the same channels", path_a,
		                  wsi_some_names((const char *const *)a->channel_names, a->channels,
		                                 some[0]), path_b,
		                  wsi_some_names((const char *const *)b->channel_names, b->channels,
		                                 some[1]));
	return status;
}

/* Those of --channels among the channels of both. */
static ws_status
choose_channels(cli_similarity *p, const char *list)
{
	const char **names = wsi_kept_new(&p->kept, p->n_channels, sizeof *names);
	size_t *picked, n;
	WSI_TRY(check_memory(p, p->n_channels));
	for (size_t i = 0; i < p->n_channels; i++)
		names[i] = cli_similarity_name(p, i);
	WSI_TRY(wsi_select(list, p->n_channels, names, "channels", "what both results have",
	                   &picked, &n));
	for (int side = 0; side < 2; side++) {
		size_t *all = p->channels[side];
		p->channels[side] = wsi_kept_new(&p->kept, n, sizeof *all);
		for (size_t i = 0; p->channels[side] && i < n; i++)
			p->channels[side][i] = all[picked[i]];
	}
	free(picked);
	p->n_channels = n;
	return check_memory(p, n);
}

static ws_status
match(cli_similarity *p, const char *path_a, const char *path_b, const char *list)
{
	WSI_TRY(check_samples(p, path_a, path_b));
	WSI_TRY(match_channels(p, path_a, path_b));
	if (list) {
		WSI_TRY(choose_channels(p, list));
	} else {
		note_others(p->a, path_a, p->channels[0], p->n_channels);
		note_others(p->b, path_b, p->channels[1], p->n_channels);
	}
	p->n_epochs = p->a->epochs ? p->a->epochs : 1;
	p->rows = p->a->max_modes > p->b->max_modes ? p->a->max_modes : p->b->max_modes;
	return WS_OK;
}

/* ---- Summaries ------------------------------------------------------------------- */

/* "2", "2-4", "-", or with the residue "r", "9-r". */
static void
name_run(const cli_similarity *p, const cli_matched *m, int side, char text[24])
{
	const int first = m->first[side], last = m->last[side], residue = (int)p->rows;
	if (last < first)
		strcpy(text, "-");
	else if (first == residue)
		strcpy(text, "r");
	else if (last == residue)
		snprintf(text, 24, "%d-r", first + 1);
	else
		snprintf(text, 24, last > first ? "%d-%d" : "%d", first + 1, last + 1);
}

ws_status
cli_similarity_summarise(cli_similarity *p)
{
	size_t signals = p->n_epochs * p->n_channels;
	p->groups = wsi_kept_new(&p->kept, p->n_groups, sizeof *p->groups);
	double *values = p->values = wsi_kept_new(&p->kept, signals * p->n_groups,
	                                          sizeof *values);
	WSI_TRY(no_memory(p));
	for (size_t m = 0; m < p->n_groups; m++, values += signals) {
		char a[24], b[24];
		size_t n = 0;
		for (size_t s = 0; s < signals; s++) {
			double rho = p->rho[s * p->n_groups + m];
			if (isfinite(rho))
				values[n++] = rho;
		}
		wsi_box_group *group = &p->groups[m];
		*group = (wsi_box_group){ .values = values, .summary = wsi_tukey_of(values, n) };
		name_run(p, &p->matched[m], 0, a);
		name_run(p, &p->matched[m], 1, b);
		const bool residues = strcmp(a, "r") == 0 && strcmp(b, "r") == 0;
		snprintf(group->label, sizeof group->label, residues ? "residue" : p->by_match
		         ? "%.11s=%.11s" : "%s", a, b);
	}
	return WS_OK;
}

ws_status
cli_similarity_open(cli_similarity *p, const char *path_a, const char *path_b,
                    const wsi_open_opts *opts)
{
	*p = (cli_similarity){ .paths = { path_a, path_b } };
	WSI_TRY(wsi_result_open(&p->a, path_a, opts));
	return wsi_result_open(&p->b, path_b, opts);
}

ws_status
cli_similarity_choose(cli_similarity *p, const char *list)
{
	return match(p, p->paths[0], p->paths[1], list);
}

void
cli_similarity_free(cli_similarity *p)
{
	wsi_kept_free(&p->kept);
	if (p->a)
		wsi_result_close(p->a);
	if (p->b)
		wsi_result_close(p->b);
}
