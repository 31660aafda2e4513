/*
 * cmd_compare.c - wavesift compare: the similarity index of two results,
 *
 *     rho = cov(a, b) / sqrt(var a var b)
 *
 * mode by mode and channel by channel; 1 where both are constant and so have
 * no shape to differ in.
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "commands.h"
#include "io/result.h"
#include "json.h"
#include "message.h"
#include "selection.h"

#define CHUNK    65536
#define COLUMNS  7 /* channels beside each other */

typedef struct pair {
	const cli_args *args;
	wsi_result *a, *b;
	size_t *channels, n_channels, n_epochs, rows; /* rows: most modes */
	double *rho;      /* [signal][rows + 1], the residue last; NaN: not in both */
} pair;

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
similarity(const pair *p, size_t epoch, size_t channel, size_t row, double *x, double *rho)
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

static ws_status
compare(pair *p)
{
	double *x = malloc(2 * CHUNK * sizeof *x), *rho = p->rho;
	ws_status status = x ? WS_OK : WSI_FAIL(WS_E_NOMEM, "not enough memory");
	for (size_t s = 0; s < p->n_epochs * p->n_channels && status == WS_OK; s++) {
		size_t epoch = s / p->n_channels, channel = p->channels[s % p->n_channels];
		int a = modes_of(p->a, epoch, channel), b = modes_of(p->b, epoch, channel);
		for (size_t m = 0; m < p->rows && status == WS_OK; m++, rho++) {
			*rho = NAN;
			if ((int)m < a && (int)m < b)
				status = similarity(p, epoch, channel, m, x, rho);
		}
		if (status == WS_OK)
			status = similarity(p, epoch, channel, WSI_ROW_RESIDUE, x, rho++);
	}
	free(x);
	return status;
}

/* ---- What is compared ------------------------------------------------------------- */

static ws_status
match(pair *p)
{
	const wsi_result *a = p->a, *b = p->b;
	const char *path_a = p->args->operands[0], *path_b = p->args->operands[1];
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
	if (p->args->channels) {
		WSI_TRY(cli_select(p->args->channels, a->channels, (const char *const *)a->channel_names,
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

/* ---- Printing ------------------------------------------------------------------------ */

static int
print_json(const pair *p)
{
	json_t *root = json_object(), *signals = json_array();
	for (size_t s = 0; s < p->n_epochs * p->n_channels; s++) {
		size_t epoch = s / p->n_channels, channel = p->channels[s % p->n_channels];
		json_t *o = json_object(), *modes = json_array();
		const double *rho = p->rho + s * (p->rows + 1);
		json_object_set_new(o, "channel", cli_json_text(p->a->channel_names[channel]));
		if (p->a->epochs)
			json_object_set_new(o, "epoch", json_integer((json_int_t)epoch + 1));
		json_object_set_new(o, "modes_a", json_integer(modes_of(p->a, epoch, channel)));
		json_object_set_new(o, "modes_b", json_integer(modes_of(p->b, epoch, channel)));
		for (size_t m = 0; m < p->rows; m++)
			if (isfinite(rho[m]))
				json_array_append_new(modes, cli_json_real(rho[m]));
		json_object_set_new(o, "similarity", modes);
		json_object_set_new(o, "residue", cli_json_real(rho[p->rows]));
		json_array_append_new(signals, o);
	}
	json_object_set_new(root, "a", cli_json_text(p->args->operands[0]));
	json_object_set_new(root, "b", cli_json_text(p->args->operands[1]));
	json_object_set_new(root, "signals", signals);
	return cli_json_print(root);
}

static void
print_rho(double rho)
{
	if (isnan(rho))
		printf(" %9s", "-");
	else
		printf(" %9.6f", rho);
}

static void
print_block(const pair *p, size_t epoch, size_t first, size_t n)
{
	printf("\n%8s", "mode");
	for (size_t i = 0; i < n; i++)
		printf(" %9.9s", p->a->channel_names[p->channels[first + i]]);
	printf("\n");
	for (size_t m = 0; m <= p->rows; m++) {
		if (m < p->rows)
			printf("%8zu", m + 1);
		else
			printf("%8s", "residue");
		for (size_t i = 0; i < n; i++)
			print_rho(p->rho[(epoch * p->n_channels + first + i) * (p->rows + 1) + m]);
		printf("\n");
	}
}

static void
print_text(const pair *p)
{
	double least = NAN;
	size_t unequal = 0, signals = p->n_epochs * p->n_channels;
	for (size_t s = 0; s < signals; s++) {
		size_t epoch = s / p->n_channels, channel = p->channels[s % p->n_channels];
		unequal += modes_of(p->a, epoch, channel) != modes_of(p->b, epoch, channel);
		for (size_t m = 0; m < p->rows; m++)
			least = fmin(least, p->rho[s * (p->rows + 1) + m]);
	}
	printf("similarity of %s and %s\n", p->args->operands[0], p->args->operands[1]);
	for (size_t epoch = 0; epoch < p->n_epochs; epoch++) {
		if (p->a->epochs)
			printf("\nepoch %zu\n", epoch + 1);
		for (size_t i = 0; i < p->n_channels; i += COLUMNS)
			print_block(p, epoch, i, p->n_channels - i < COLUMNS ? p->n_channels - i : COLUMNS);
	}
	if (isfinite(least))
		printf("\nleast similarity of a mode: %.12g\n", least);
	if (unequal)
		printf("%zu of %zu signals differ in their number of modes\n", unequal, signals);
}

int
cli_cmd_compare(const cli_args *args)
{
	pair p = { .args = args };
	ws_status status = wsi_result_open(&p.a, args->operands[0]);
	if (status == WS_OK)
		status = wsi_result_open(&p.b, args->operands[1]);
	if (status == WS_OK)
		status = match(&p);
	if (status == WS_OK)
		status = compare(&p);
	int code = cli_report(status);
	if (status == WS_OK && args->json)
		code = print_json(&p);
	else if (status == WS_OK)
		print_text(&p);
	free(p.rho);
	free(p.channels);
	if (p.a)
		wsi_result_close(p.a);
	if (p.b)
		wsi_result_close(p.b);
	return code;
}
