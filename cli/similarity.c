/* similarity.c - see similarity.h. */
#include "similarity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/status.h"
#include "selection.h"

#define CHUNK 65536

/* ---- The index ----------------------------------------------------------------- */

typedef struct moments {
	double n, mean_a, mean_b, aa, bb, ab;
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

/* Scaled by powers of two first, so that no square leaves the range of f64
 * and equal rows give exactly 1. */
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

static ws_status
correlate(const cli_similarity *p, size_t epoch, size_t channel, size_t row, double *x, double *rho)
{
	moments m = { 0 };
	for (size_t first = 0; first < p->a->samples; first += CHUNK) {
		size_t count = p->a->samples - first < CHUNK ? p->a->samples - first : CHUNK;
		WSI_TRY(wsi_result_read(p->a, epoch, channel, row, first, count, x));
		WSI_TRY(wsi_result_read(p->b, epoch, channel, row, first, count, x + CHUNK));
		for (size_t i = 0; i < count; i++)
			add(&m, x[i], x[CHUNK + i]);
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
	size_t epoch = signal / p->n_channels, channel = p->channels[signal % p->n_channels];
	modes[0] = modes_of(p->a, epoch, channel);
	modes[1] = modes_of(p->b, epoch, channel);
}

static ws_status
compare(cli_similarity *p)
{
	double *x = malloc(2 * CHUNK * sizeof *x), *rho = p->rho;
	ws_status status = x ? WS_OK : WSI_FAIL(WS_E_NOMEM, "not enough memory");
	for (size_t s = 0; s < p->n_epochs * p->n_channels && status == WS_OK; s++) {
		size_t epoch = s / p->n_channels, channel = p->channels[s % p->n_channels];
		int modes[2];
		cli_similarity_modes(p, s, modes);
		for (size_t m = 0; m < p->rows && status == WS_OK; m++, rho++) {
			*rho = NAN;
			if ((int)m < modes[0] && (int)m < modes[1])
				status = correlate(p, epoch, channel, m, x, rho);
		}
		if (status == WS_OK)
			status = correlate(p, epoch, channel, WSI_ROW_RESIDUE, x, rho++);
	}
	free(x);
	return status;
}

/* ---- What is compared ------------------------------------------------------------- */

static ws_status
match(cli_similarity *p, const char *path_a, const char *path_b, const char *list)
{
	const wsi_result *a = p->a, *b = p->b;
	if (a->channels != b->channels || a->epochs != b->epochs)
		return WSI_FAIL(WS_E_FORMAT, "%s has %zu channels and %zu epochs, %s %zu and %zu; compare "
		                "results of one selection", path_a, a->channels, a->epochs, path_b,
		                b->channels, b->epochs);
	if (a->samples != b->samples)
		return WSI_FAIL(WS_E_FORMAT, "%s has %zu samples, %s %zu; compare results of one "
		                "selection", path_a, a->samples, path_b, b->samples);
	p->n_epochs = a->epochs ? a->epochs : 1;
	p->rows = a->max_modes > b->max_modes ? a->max_modes : b->max_modes;
	p->n_channels = a->channels;
	if (list) {
		WSI_TRY(cli_select(list, a->channels, (const char *const *)a->channel_names,
		                   "--channels", path_a, &p->channels, &p->n_channels));
	} else {
		p->channels = calloc(a->channels + 1, sizeof *p->channels);
		for (size_t i = 0; p->channels && i < a->channels; i++)
			p->channels[i] = i;
	}
	p->rho = calloc(p->n_epochs * p->n_channels * (p->rows + 1) + 1, sizeof *p->rho);
	if (!p->rho || !p->channels)
		return WSI_FAIL(WS_E_NOMEM, "not enough memory for %zu channels", p->n_channels);
	return WS_OK;
}

/* ---- Summaries ------------------------------------------------------------------- */

static ws_status
summarise(cli_similarity *p)
{
	size_t signals = p->n_epochs * p->n_channels;
	p->groups = calloc(p->rows + 1, sizeof *p->groups);
	double *values = p->values = calloc(signals * (p->rows + 1) + 1, sizeof *values);
	if (!p->groups || !values)
		return WSI_FAIL(WS_E_NOMEM, "not enough memory for %zu channels", p->n_channels);
	for (size_t m = 0; m <= p->rows; m++, values += signals) {
		size_t n = 0;
		for (size_t s = 0; s < signals; s++) {
			double rho = p->rho[s * (p->rows + 1) + m];
			if (isfinite(rho))
				values[n++] = rho;
		}
		wsi_box_group *group = &p->groups[m];
		*group = (wsi_box_group){ .values = values, .summary = wsi_tukey_of(values, n) };
		if (m < p->rows)
			snprintf(group->label, sizeof group->label, "%zu", m + 1);
		else
			snprintf(group->label, sizeof group->label, "residue");
	}
	return WS_OK;
}

ws_status
cli_similarity_make(cli_similarity *p, const char *path_a, const char *path_b, const char *list)
{
	*p = (cli_similarity){ 0 };
	WSI_TRY(wsi_result_open(&p->a, path_a));
	WSI_TRY(wsi_result_open(&p->b, path_b));
	WSI_TRY(match(p, path_a, path_b, list));
	WSI_TRY(compare(p));
	return summarise(p);
}

void
cli_similarity_free(cli_similarity *p)
{
	free(p->rho);
	free(p->channels);
	free(p->groups);
	free(p->values);
	if (p->a)
		wsi_result_close(p->a);
	if (p->b)
		wsi_result_close(p->b);
}
