/* cycles.c - the cycles of all modes as a table (hht --cycle-table FILE.csv), a row each. */
#include "cycles.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/element.h"
#include "base/new.h"
#include "io/read/pauses.h"
#include "io/read/time_units.h"
#include "io/result/result.h"
#include "io/write/spool.h"
#include "io/write/writer_format.h"
#include "ranks.h"
#include "signals.h"

#define TURN 6.283185307179586
#define SHAPE 8              /* frequencies of a cycle */
#define LEAST 5              /* samples of a cycle whose peak and so on are told */
#define PARTS (WS_HHT_PART_CYCLES | WS_HHT_PART_MODES | WS_HHT_PART_INSTANTANEOUS)

/* ---- Options ------------------------------------------------------------------------------- */

ws_status
cli_cycles_check(const cli_args *args)
{
	if (!args->cycles)
		return WS_OK;
	ws_hht_opts *o = args->opts;
	const size_t length = strlen(args->cycles);
	if (length < 4 || strcmp(args->cycles + length - 4, ".csv") != 0)
		return WSI_FAIL(WS_E_ARG, "--cycle-table %s: must end in .csv", args->cycles);
	if (o->modes_given && !o->whole_given)
		return WSI_FAIL(WS_E_ARG, "--cycle-table: needs a decomposition, or a result");
	if (!o->parts)
		o->parts = WS_HHT_PARTS_DEFAULT;
	o->parts |= WS_HHT_PART_CYCLES;
	if ((o->parts & PARTS) != PARTS)
		return WSI_FAIL(WS_E_ARG, "--cycle-table: needs modes and instantaneous among "
		                "--parts");
	return WS_OK;
}

ws_status
cli_cycles_rehearse(const cli_args *args)
{
	return args->cycles ? wsi_writer_check(args->cycles, args->overwrite) : WS_OK;
}

/* ---- A cycle ------------------------------------------------------------------------------- */

typedef struct cycle {
	size_t first, n;         /* samples */
	const double *x, *a, *f, *phase; /* from the first on */
	double ahead;            /* of the phase, to the one that is 0 where the cycle begins */
} cycle;

/* The largest extremum within, of x times `sign`, refined by a parabola; NaN: there is none. */
static double
extremum(const cycle *c, double sign)
{
	double best = -HUGE_VAL, at = NAN;
	for (size_t i = 1; i + 1 < c->n; i++) {
		const double l = sign * c->x[i - 1], m = sign * c->x[i], r = sign * c->x[i + 1];
		if (!(m > l && m > r))
			continue;
		const double bend = l - 2 * m + r, behind = 0.5 * (l - r) / bend;
		const double value = m - 0.25 * (l - r) * behind;
		if (value > best) {
			best = value;
			at = (double)i + behind;
		}
	}
	return at;
}

static double
descending_zero(const cycle *c)
{
	for (size_t i = 0; i + 1 < c->n; i++)
		if (c->x[i] > 0 && c->x[i + 1] < 0)
			return (double)i + c->x[i] / (c->x[i] - c->x[i + 1]);
	return NAN;
}

/* The frequency at a phase of 0 .. one turn, by a line between the samples beside it. */
static double
at_phase(const cycle *c, double phase)
{
	const double turn = floor((c->phase[0] + c->ahead) / TURN + 0.5) * TURN - c->ahead;
	size_t i = 1;
	while (i + 1 < c->n && c->phase[i] - turn < phase)
		i++;
	const double p0 = c->phase[i - 1] - turn, p1 = c->phase[i] - turn;
	return c->f[i - 1] + (c->f[i] - c->f[i - 1]) * (phase - p0) / (p1 - p0);
}

/* ---- The table ----------------------------------------------------------------------------- */

static void
put_number(FILE *file, double v)
{
	if (isfinite(v))
		fprintf(file, ",%.12g", v);
	else
		fputc(',', file);
}

static void
put_cycle(const cli_cycles *t, const wsi_input *in, const cycle *c)
{
	const double step = 1 / in->fs / t->unit, duration = (double)c->n * step;
	double frequency = 0, amplitude = 0;
	for (size_t i = 0; i < c->n; i++) {
		frequency += c->f[i];
		amplitude = fmax(amplitude, c->a[i]);
	}
	char start[WSI_TIME_TEXT];
	fprintf(t->lines, ",%s", wsi_format_time(wsi_input_first_time(in) +
	                                        (double)c->first / in->fs, t->unit, in->fs, start));
	put_number(t->lines, duration);
	put_number(t->lines, frequency / (double)c->n * t->unit);
	put_number(t->lines, amplitude);
	const bool few = c->n < LEAST;
	const double peak = few ? NAN : extremum(c, 1), trough = few ? NAN : extremum(c, -1);
	const double zero = few ? NAN : descending_zero(c), last = (double)(c->n - 1);
	put_number(t->lines, peak * step);
	put_number(t->lines, zero * step);
	put_number(t->lines, trough * step);
	put_number(t->lines, (2 * zero - last) / last);
	put_number(t->lines, (2 * peak + last - 2 * trough) / last);
	for (int k = 0; k < SHAPE; k++)
		put_number(t->lines, at_phase(c, (k + 0.5) * TURN / SHAPE) * t->unit);
	fputc('\n', t->lines);
}

static void
widen(const void *from, ws_type type, size_t n, double *to)
{
	for (size_t i = 0; i < n; i++)
		to[i] = wsi_real_at(from, type, i);
}

static void
put_mode(cli_cycles *t, const cli_outcome *o, const ws_channel_result *r, size_t mode)
{
	const wsi_input *in = o->in;
	const ws_hht_opts *opts = ws_run_options(o->run);
	const size_t n = in->samples, element = wsi_type_size(in->type);
	const int32_t *number = (const int32_t *)r->slabs[WS_HHT_CYCLE].data + mode * n;
	const double *phase = (const double *)r->slabs[WS_HHT_PHASE].data + mode * n;
	static const int arrays[] = { WS_HHT_MODES, WS_HHT_AMPLITUDE,
		WS_HHT_INSTANTANEOUS_FREQUENCY };
	for (int k = 0; k < 3; k++)
		widen((const char *)r->slabs[arrays[k]].data + mode * n * element, in->type, n,
		      t->row + (size_t)k * n);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && number[end] == number[i]; end++)
			continue;
		if (number[i] < 0)
			continue;
		const cycle c = { i, end - i, t->row + i, t->row + n + i, t->row + 2 * n + i,
			phase + i, opts->reference == WS_HHT_REF_EMD ? 0 : TURN / 4 };
		if (in->epoched)
			fprintf(t->lines, "%zu,", in->epochs[r->channel / in->n_channels] + 1);
		wsi_csv_put_name(t->lines, wsi_input_name(in, r->channel % in->n_channels), "");
		fprintf(t->lines, ",%zu,%d", mode + 1, (int)number[i] + 1);
		put_cycle(t, in, &c);
		t->count++;
	}
}

ws_status
cli_cycles_put(cli_cycles *t, const cli_outcome *o, const ws_channel_result *r)
{
	if (!t->file)
		return WS_OK;
	wsi_c_locale locale;
	wsi_c_locale_enter(&locale);
	const size_t modes = (size_t)*(const int32_t *)r->slabs[WS_HHT_MODE_COUNT].data;
	if (t->places)
		t->places[r->channel][0] = ftell(t->lines);
	for (size_t k = 0; k < modes; k++)
		put_mode(t, o, r, k);
	if (t->places)
		t->places[r->channel][1] = ftell(t->lines);
	wsi_c_locale_leave(&locale);
	return ferror(t->lines) ? wsi_write_fail(t->path) : WS_OK;
}

/* ---- The file ------------------------------------------------------------------------------ */

static void
put_head(const cli_cycles *t, const wsi_input *in)
{
	const char *s = t->unit_name;
	fprintf(t->file, "%schannel,mode,cycle,start (%s),duration (%s),frequency (1/%s),amplitude,"
	        "peak (%s),descending_zero (%s),trough (%s),peak_to_trough,ascending_to_descending",
	        in->epoched ? "epoch," : "", s, s, s, s, s, s);
	for (int k = 0; k < SHAPE; k++)
		fprintf(t->file, ",frequency_%d (1/%s)", k + 1, s);
	fputc('\n', t->file);
}

/* Lines of several ranks wait in a nameless file beside the table. */
static ws_status
open_lines(cli_cycles *t, const cli_outcome *o)
{
	int fd;
	t->lines = t->file;
	if (cli_ranks_count(o->args->ranks) == 1)
		return WS_OK;
	t->signals = o->in->n_channels * o->in->n_epochs;
	WSI_NEW(t->places, t->signals, "%s: not enough memory", t->path);
	WSI_TRY(wsi_spool_file(&fd, t->path));
	t->lines = fdopen(fd, "w+");
	return t->lines ? WS_OK : wsi_write_fail(t->path);
}

/* In the order of signals. */
static ws_status
sort_lines(cli_cycles *t)
{
	char part[4096];
	for (size_t i = 0; i < t->signals; i++) {
		long left = t->places[i][1] - t->places[i][0];
		if (fseek(t->lines, t->places[i][0], SEEK_SET) != 0)
			return wsi_write_fail(t->path);
		for (size_t n; left > 0; left -= (long)n) {
			n = left < (long)sizeof part ? (size_t)left : sizeof part;
			if (fread(part, 1, n, t->lines) != n || fwrite(part, 1, n, t->file) != n)
				return wsi_write_fail(t->path);
		}
	}
	return WS_OK;
}

ws_status
cli_cycles_open(cli_cycles *t, const cli_outcome *o)
{
	const wsi_input *in = o->in;
	const char *path = o->args->cycles;
	*t = (cli_cycles){ .path = path, .unit = in->rec->time_unit > 0 ? in->rec->time_unit : 1 };
	if (!path)
		return WS_OK;
	t->unit_name = in->fs_known ? wsi_time_unit_name(t->unit) : "sample";
	WSI_NEW(t->row, 3 * in->samples, "%s: not enough memory", path);
	errno = wsi_newfile_open(&t->newfile, path, o->args->overwrite);
	t->file = errno ? NULL : wsi_newfile_stream(&t->newfile);
	if (!t->file)
		return wsi_write_fail(path);
	cli_signals_temporary(&t->newfile);
	put_head(t, in);
	return open_lines(t, o);
}

ws_status
cli_cycles_finish(cli_cycles *t)
{
	if (t->places)
		WSI_TRY(sort_lines(t));
	FILE *file = t->file;
	t->file = NULL;
	return file ? wsi_write_close(file, t->path) : WS_OK;
}

void
cli_cycles_close(cli_cycles *t)
{
	if (t->lines && t->lines != t->file && t->places)
		fclose(t->lines);
	if (t->file)
		fclose(t->file);
	free(t->places);
	wsi_newfile_close(&t->newfile);
	free(t->row);
	*t = (cli_cycles){ 0 };
}
