/* redraw.c - the picture of a result on disk that is no decomposition. */
#include "redraw.h"

#include <stdlib.h>
#include <string.h>

#include "base/element.h"
#include "base/new.h"
#include "base/target.h"
#include "figure.h"
#include "io/result/result.h"
#include "io/read/input_events.h"
#include "io/read/selection.h"
#include "plot/scalogram.h"
#include "redraw_check.h"
#include "signals.h"
#include "wavesift/cwt.h"

/* ---- What it is a result of ------------------------------------------------------------------ */

/* Options that pictures look at, as the result tells them. */
static ws_status
take_options(cli_redrawing *s, const ws_transform *t)
{
	static const char *const looked_at[][2] = { /* of options, and as facts */
		{ "baseline", "baseline" }, { "quantity", "quantity" }, { "against", "against" },
		{ "freqs", "freqs" }, { "modulation-freqs", "modulation_freqs" },
		{ "confidence", "confidence" }, { "noise-signals", "noise_signals" },
		{ "significance", "significance" },
		{ "limits", "limits" }, { "level", "level" }, { "extent", "extent" },
		{ "mask-formula", "mask_formula" }, { "mask-expression", "mask_expression" },
	};
	s->args.opts = calloc(1, t->options_size);
	WSI_HAVE(s->args.opts, "%s: no memory for its options", s->in.rec->path);
	ws_options_init(t, s->args.opts, t->options_size);
	const ws_option *o;
	for (int i = 0; (o = ws_transform_option(t, i)); i++)
		for (size_t k = 0; k < sizeof looked_at / sizeof *looked_at; k++) {
			const char *told = wsi_arrays_fact(s->in.rec, looked_at[k][1]);
			if (*told && strcmp(o->name, looked_at[k][0]) == 0
			    && ws_option_set(o, s->args.opts, told) != WS_OK)
				return cli_redraw_damaged(s, o->name, "has no value that it can "
				                          "have");
		}
	return WS_OK;
}

/* Coherence is drawn with one channel, which there must be. */
static ws_status
check_pair(const cli_redrawing *s)
{
	const ws_cwt_opts *cwt = s->args.opts;
	const wsi_recording *rec = s->in.rec;
	if (cwt->against == WS_AGAINST_ALL)
		return WSI_FAIL(WS_E_ARG, "%s: is the coherence of all pairs, which cannot be "
		                "drawn", rec->path);
	return cwt->against >= 0 && (size_t)cwt->against < rec->n_channels ? WS_OK
	       : cli_redraw_damaged(s, "against", "names a channel that it has not");
}

/* The command that made it, as it would be called now. */
static ws_status
take_transform(cli_redrawing *s, const cli_args *args, const char *path)
{
	const wsi_recording *rec = s->in.rec;
	const char *name = wsi_arrays_fact(rec, "transform");
	cli_command command;
	if (!cli_find_command(name, &command) || !command.transform)
		return WSI_FAIL(WS_E_FORMAT, "%s: is a result of %.40s, which this version does "
		                "not know", rec->path, name);
	s->args = *args;
	s->args.command = command;
	s->args.plot = path;
	s->args.plot_channels = args->channels;
	s->args.figure = args->figure == FIGURE_COLOURS ? FIGURE_NOT_GIVEN : args->figure;
	s->args.opts = NULL;
	WSI_TRY(take_options(s, command.transform));
	return strcmp(name, "coherence") == 0 ? check_pair(s) : WS_OK;
}

/* ---- Selection ------------------------------------------------------------------------------- */

ws_status
cli_redraw_epoch(const cli_args *args, const int32_t *numbers, size_t n, size_t *epoch)
{
	const char *path = args->operands[0];
	size_t *wanted, n_wanted, last = 0;
	*epoch = 0;
	if (!args->epochs)
		return WS_OK;
	if (n == 0)
		return WSI_FAIL(WS_E_ARG, "--epochs %s: %s has no epochs", args->epochs, path);
	for (size_t i = 0; i < n; i++) {
		const size_t number = numbers ? (size_t)numbers[i] : i + 1;
		last = number > last ? number : last;
	}
	WSI_TRY(wsi_select(args->epochs, last, NULL, "epochs", path, &wanted, &n_wanted));
	const size_t number = wanted[0] + 1;
	free(wanted);
	while (*epoch < n && (numbers ? (size_t)numbers[*epoch] : *epoch + 1) != number)
		++*epoch;
	return *epoch < n ? WS_OK
	       : WSI_FAIL(WS_E_ARG, "--epochs %s: %s has no epoch %zu; it has %d and %zu more",
	                  args->epochs, path, number, numbers ? (int)numbers[0] : 1, n - 1);
}

/* That, by the numbers that the result has. */
static ws_status
choose_epoch(cli_redrawing *s, const cli_args *args)
{
	wsi_input *in = &s->in;
	const size_t n = in->rec->epochs;
	if (n == 0)
		return cli_redraw_epoch(args, NULL, 0, &s->epoch);
	WSI_TRY(cli_redraw_take(s, 12.0 * (double)n));
	double *read = wsi_kept_new(&s->kept, n, sizeof *read);
	int32_t *numbers = wsi_kept_new(&s->kept, n, sizeof *numbers);
	WSI_HAVE(!s->kept.failed, "%s: no memory for its epochs", in->rec->path);
	WSI_TRY(cli_redraw_elements(s, wsi_arrays_find(in->rec, "epoch"), 0, n, read));
	for (size_t i = 0; i < n; i++) {
		if (!(read[i] >= 1 && read[i] <= 1 << 24))
			return cli_redraw_damaged(s, "epoch", "holds what is no number of one");
		numbers[i] = (int32_t)read[i];
	}
	WSI_TRY(cli_redraw_epoch(args, numbers, n, &s->epoch));
	in->epochs[0] = (size_t)numbers[s->epoch] - 1;
	return WS_OK;
}

/* All channels, one epoch, and the time that is asked for. */
static ws_status
select_input(cli_redrawing *s, const cli_args *args)
{
	wsi_input *in = &s->in;
	const wsi_recording *rec = in->rec;
	const wsi_channel *c = &rec->channels[0];
	const int gathers = s->args.command.transform->takes_epochs;
	in->fs = c->fs;
	in->fs_known = rec->fs_known;
	in->n_channels = rec->n_channels;
	in->channels = calloc(in->n_channels, sizeof *in->channels);
	in->mended = wsi_kept_new(&in->kept, in->n_channels, sizeof *in->mended);
	in->epochs = calloc(1, sizeof *in->epochs);
	in->n_epochs = 1;
	in->all = c->samples;
	WSI_HAVE(in->channels && in->mended && in->epochs, "%s: no memory for %zu channels",
	         rec->path, in->n_channels);
	for (size_t i = 0; i < in->n_channels; i++)
		in->channels[i] = i;
	/* What gathers epochs has no axis of them. */
	const bool averaged = wsi_arrays_find(rec, "signal" WSI_INTERVAL) != NULL;
	in->gathered = gathers != 0 || averaged;
	in->epoched = rec->epochs || gathers == 1 || averaged || *wsi_arrays_fact(rec, "epochs_at");
	const wsi_time_axis axis = { .path = rec->path, .samples = c->samples, .fs = c->fs,
		.origin = rec->time_origin, .unit = rec->time_unit, .fs_known = rec->fs_known,
		.start_time = rec->start_time, .dated = rec->dated };
	wsi_moment from = args->from, to = args->to;
	WSI_TRY(wsi_moments_resolve(&from, &to, rec->path, rec->start_time, rec->time_unit));
	WSI_TRY(wsi_select_time(&axis, &from, &to, &in->first, &in->samples));
	WSI_TRY(choose_epoch(s, args));
	/* Events know epochs by their place in the result. */
	const size_t number = in->epochs[0];
	in->epochs[0] = s->epoch;
	const ws_status status = wsi_input_place_events(in);
	in->epochs[0] = number;
	return status;
}

/* ---- Arrays to the picture ------------------------------------------------------------------- */

/* What a channel has of an array without time. */
static ws_status
read_small(cli_redrawing *s, int i, size_t channel)
{
	const ws_array *a = &s->outputs.arrays[i];
	const cli_redrawn *r = &s->arrays[i];
	const bool own = a->axis[0] == WS_AXIS_CHANNEL;
	const size_t entry = own ? s->epoch * s->in.n_channels + channel : 0;
	WSI_TRY(cli_redraw_elements(s, r->from, entry * r->count, r->count, r->data));
	s->slabs[i] = (ws_slab){ .data = r->data };
	for (int k = own; k < a->rank; k++)
		s->slabs[i].extent[k - own] = a->extent[k];
	return WS_OK;
}

/* How many modes a channel has: so many have the arrays of modes. */
static ws_status
cut_modes(cli_redrawing *s)
{
	size_t modes = s->modes;
	for (int i = 0; i < s->outputs.n; i++) {
		if (!(s->outputs.arrays[i].flags & WS_ARRAY_COUNT) || !s->slabs[i].data)
			continue;
		const double count = *(const double *)s->arrays[i].data;
		if (!(count >= 0 && count <= (double)(modes == SIZE_MAX ? 0 : modes)))
			return cli_redraw_damaged(s, s->outputs.arrays[i].name,
			                          "claims more modes than there are");
		modes = (size_t)count;
		*(int32_t *)s->arrays[i].data = (int32_t)count;
	}
	for (int i = 0; i < s->outputs.n; i++)
		if (s->slabs[i].data && s->outputs.arrays[i].axis[1] == WS_AXIS_MODE)
			s->slabs[i].extent[0] = modes;
	return WS_OK;
}

static ws_status
read_all_small(cli_redrawing *s, size_t channel)
{
	for (int i = 0; i < s->outputs.n; i++)
		if (s->arrays[i].data)
			WSI_TRY(read_small(s, i, channel));
	return cut_modes(s);
}

/* The n elements of a line as their array has them, into out. */
static void
narrow(const cli_redrawing *s, ws_type type, size_t n, void *out)
{
	const double *re = s->line, *im = s->line + n;
	const size_t step = wsi_type_complex(type) ? 2 : 1;
	for (size_t i = 0; i < n; i++)
		for (size_t part = 0; part < step; part++)
			wsi_real_put(out, wsi_type_part(type), step * i + part,
			             part ? im[i] : re[i]);
}

/* Line k of a channel, which is what the slab then has, in out. */
static ws_status
read_line(cli_redrawing *s, int i, size_t channel, size_t k, void *out)
{
	const ws_array *a = &s->outputs.arrays[i];
	const cli_redrawn *r = &s->arrays[i];
	const size_t lines = a->rank > 2 ? a->extent[1] : 1, n = a->extent[a->rank - 1];
	const size_t line = (s->epoch * s->in.n_channels + channel) * lines + k;
	if (cli_signalled())
		return WSI_FAIL(WS_E_CANCELLED, "cancelled");
	for (int part = 0; part < 1 + wsi_type_complex(a->type); part++)
		WSI_TRY(wsi_arrays_read(s->in.rec, r->from, part, line, r->skipped, n,
		                        s->line + (size_t)part * n));
	narrow(s, a->type, n, out);
	s->slabs[i] = a->rank > 2 ? (ws_slab){ .data = out, .first = { k }, .extent = { 1, n } }
	              : (ws_slab){ .data = out, .extent = { n } };
	return WS_OK;
}

/* Line after line of the arrays that are drawn. */
static ws_status
put_lines(cli_redrawing *s, cli_figure *f, const ws_channel_result *r)
{
	for (int i = 0; i < s->outputs.n; i++) {
		const ws_array *a = &s->outputs.arrays[i];
		if (!s->arrays[i].from || !s->arrays[i].drawn || a->flags & WS_ARRAY_SIGNAL)
			continue;
		for (size_t k = 0; k < (a->rank > 2 ? a->extent[1] : 1); k++) {
			WSI_TRY(read_line(s, i, r->channel, k, s->typed));
			WSI_TRY(cli_figure_put(f, &s->outcome, r));
		}
		s->slabs[i] = (ws_slab){ 0 };
	}
	return WS_OK;
}

/* First the signal, which stays, and what has no time; then lines, if the picture is of them. */
static ws_status
put_channel(cli_redrawing *s, cli_figure *f, size_t channel)
{
	const ws_channel_result r = { .size = sizeof r, .channel = channel, .slabs = s->slabs };
	WSI_TRY(read_all_small(s, channel));
	for (int i = 0; i < s->outputs.n; i++)
		if (s->arrays[i].from && s->outputs.arrays[i].flags & WS_ARRAY_SIGNAL)
			WSI_TRY(read_line(s, i, channel, 0, s->signal));
	WSI_TRY(cli_figure_put(f, &s->outcome, &r));
	for (int i = 0; i < s->outputs.n; i++)
		if (!(s->outputs.arrays[i].flags & WS_ARRAY_SIGNAL))
			s->slabs[i] = (ws_slab){ 0 };
	return s->args.figure == FIGURE_NOT_GIVEN ? put_lines(s, f, &r) : WS_OK;
}

/* ---- The picture ----------------------------------------------------------------------------- */

/* What the lines take that are drawn. */
typedef struct room {
	size_t most;             /* elements of the longest */
	size_t numbers;          /* of an element: 2 of complex ones */
	bool signal;             /* is one of them a signal? */
	double lines, small;     /* of a channel: how many, and elements without time */
} room;

static room
room_for(const cli_redrawing *s)
{
	room r = { .numbers = 1 };
	for (int i = 0; i < s->outputs.n; i++) {
		const ws_array *a = &s->outputs.arrays[i];
		r.small += (double)s->arrays[i].count;
		if (!s->arrays[i].from || !s->arrays[i].drawn)
			continue;
		const size_t n = a->extent[a->rank - 1];
		r.most = n > r.most ? n : r.most;
		r.numbers = wsi_type_complex(a->type) ? 2 : r.numbers;
		r.signal |= (a->flags & WS_ARRAY_SIGNAL) != 0;
		r.lines += (double)(a->rank > 2 ? a->extent[1] : 1);
	}
	return r;
}

/* Makes room for them, and counts what the picture keeps of so many channels. */
static ws_status
make_room(cli_redrawing *s, size_t channels)
{
	const room r = room_for(s);
	const double columns = r.most < WSI_SCALOGRAM_COLUMNS ? (double)r.most
	                       : WSI_SCALOGRAM_COLUMNS;
	/* The spectrum of a signal, where there is one, takes some three rows more. */
	const size_t rows = 2 * r.numbers + r.signal + (s->args.figure == FIGURE_MARGINAL ? 3 : 0);
	WSI_TRY(cli_redraw_take(s, (4 * r.lines * columns + 8 * r.small) * (double)channels
	                           + 8.0 * (double)rows * (double)r.most));
	s->line = wsi_kept_new(&s->kept, r.numbers * r.most, sizeof *s->line);
	s->typed = wsi_kept_new(&s->kept, r.numbers * r.most, sizeof(double));
	s->signal = wsi_kept_new(&s->kept, r.signal * r.most, sizeof(double));
	return !s->kept.failed ? WS_OK
	       : WSI_FAIL(WS_E_NOMEM, "%s: no memory for %zu outputs", s->in.rec->path, r.most);
}

static ws_status
open_stored(cli_redrawing *s, const cli_args *args, const char *path)
{
	const wsi_open_opts opts = cli_open_opts(args);
	WSI_TRY(wsi_arrays_open(&s->in.rec, args->operands[0], &opts));
	const wsi_recording *rec = s->in.rec;
	s->memory = opts.memory ? opts.memory : SIZE_MAX;
	WSI_TRY(cli_redraw_take(s, (double)rec->held));
	WSI_TRY(take_transform(s, args, path));
	WSI_TRY(select_input(s, args));
	WSI_TRY(cli_redraw_outputs(s));
	WSI_TRY(cli_redraw_check(s));
	for (int i = 0; i < s->outputs.n; i++)
		if (s->arrays[i].from && s->outputs.arrays[i].flags & WS_ARRAY_SIGNAL)
			s->args.precision = (int)s->outputs.arrays[i].type;
	s->outcome = (cli_outcome){ .args = &s->args, .in = &s->in, .outputs = &s->outputs,
		.opts = s->args.opts, .skipped = s->in.first,
		.left = rec->channels[0].samples - s->in.first - s->in.samples };
	WSI_TRY(cli_figure_rehearse(&s->outcome));
	const size_t n = cli_figure_channels(rec->n_channels, args->channels
	                                     || args->figure == FIGURE_CONNECTIVITY);
	return make_room(s, n < WSI_SCALOGRAM_PANELS ? n : WSI_SCALOGRAM_PANELS);
}

static ws_status
draw(void *user, wsi_sheet *sheet)
{
	cli_redrawing *s = user;
	const wsi_recording *rec = s->in.rec;
	const char *title = wsi_arrays_fact(rec, "title");
	cli_figure f;
	cli_signals_hold();
	WSI_TRY(cli_figure_open(&f, &s->outcome));
	ws_status status = WS_OK;
	for (size_t i = 0; i < f.drawn.n && status == WS_OK; i++)
		status = put_channel(s, &f, f.drawn.channels[i]);
	if (status == WS_OK)
		status = cli_figure_draw(&f, &s->outcome,
		                         *title ? title : wsi_base_name(s->args.operands[0]),
		                         wsi_arrays_fact(rec, "options"), sheet);
	cli_figure_close(&f);
	return status;
}

int
cli_redraw(const cli_args *args, const char *path, const char *why)
{
	cli_redrawing s = { .in = { .spool = -1 } };
	ws_status status = open_stored(&s, args, path);
	if (status == WS_E_UNSUPPORTED)
		status = why ? WSI_FAIL(WS_E_FORMAT, "%s", why)
		         : WSI_FAIL(WS_E_ARG, "%s: is no .h5 result that this --figure is of",
		                    args->operands[0]);
	const int code = cli_figure_make(args, path, status, draw, &s);
	cli_outputs_close(&s.outputs);
	ws_options_free(s.args.command.transform, s.args.opts);
	free(s.args.opts);
	wsi_kept_free(&s.kept);
	if (s.in.rec)
		wsi_input_close(&s.in);
	return code;
}
