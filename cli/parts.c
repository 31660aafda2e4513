/* parts.c - the rows of a result, and the lists that choose among them. */
#include "parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/element.h"
#include "base/new.h"
#include "input.h"
#include "io/read/open.h"
#include "io/read/selection.h"
#include "io/result/arrays.h"
#include "io/result/modes.h"
#include "values.h"

/* ---- The result ---------------------------------------------------------------------------- */

static const struct {
	const char *array, *noun;
} kinds[] = { { "modes", "mode" }, { "bands", "band" }, { "responses", "mask" } };

static ws_status
no_parts(const wsi_recording *rec)
{
	return WSI_FAIL(WS_E_FORMAT, "%s: holds no parts of a signal that could be kept or "
	                "dropped; results (.h5) of emd, eemd, ceemdan, iceemdan, memd, of hht with "
	                "its modes, of bands and of conv with real masks do", rec->path);
}

/* The arrays: rows of the signal's own samples. */
static ws_status
find_arrays(cli_parts *p)
{
	const wsi_recording *rec = p->rec;
	const int epoched = rec->epochs > 0;
	p->signal = wsi_arrays_find(rec, "signal");
	for (size_t i = 0; !p->rows && i < sizeof kinds / sizeof *kinds; i++) {
		p->rows = wsi_arrays_find(rec, kinds[i].array);
		p->noun = kinds[i].noun;
	}
	if (!p->rows || !p->signal || p->rows->rank != 3 + epoched || p->signal->rank != 2 + epoched
	    || wsi_type_complex(p->rows->type))
		return no_parts(rec);
	p->epochs = epoched ? rec->epochs : 1;
	p->channels = rec->n_channels;
	p->most = p->rows->extent[1 + epoched];
	p->samples = wsi_stored_length(p->signal);
	if (wsi_stored_length(p->rows) != p->samples)
		return WSI_FAIL(WS_E_FORMAT, "%s: its rows have other moments than the signal "
		                "(decimated or oversampled), and do not add up to it", rec->path);
	if (p->signal->lines != p->epochs * p->channels
	    || p->rows->lines != p->signal->lines * p->most)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: its arrays do not match", rec->path);
	return WS_OK;
}

/* All lines of an array of so many axes and numbers, or none where it has another shape. */
static ws_status
read_all(const cli_parts *p, const char *name, int rank, size_t n, double *out, bool *there)
{
	const wsi_stored_array *a = wsi_arrays_find(p->rec, name);
	const size_t length = a ? wsi_stored_length(a) : 0;
	*there = a && a->rank == rank && a->lines * length == n && n > 0;
	for (size_t k = 0; *there && k < a->lines; k++)
		WSI_TRY(wsi_arrays_read(p->rec, a, 0, k, 0, length, out + k * length));
	return WS_OK;
}

static ws_status
take_counts(cli_parts *p, size_t signals, double *numbers)
{
	bool there;
	WSI_TRY(read_all(p, "mode_count", p->rows->rank - 2, signals, numbers, &there));
	for (size_t i = 0; i < signals; i++) {
		const bool good = there && numbers[i] >= 0 && numbers[i] <= (double)p->most;
		p->count[i] = good ? (size_t)numbers[i] : p->most;
	}
	return WS_OK;
}

/* Of modes their centroids; of bands their middles. */
static ws_status
take_frequencies(cli_parts *p, size_t signals, double *numbers)
{
	const int rank = p->rows->rank - 1;
	bool there, high;
	WSI_TRY(read_all(p, "low", 1, p->most, p->hz, &there));
	WSI_TRY(read_all(p, "high", 1, p->most, numbers, &high));
	for (size_t i = signals * p->most; there && high && i-- > 0;)
		p->hz[i] = sqrt(p->hz[i % p->most] * numbers[i % p->most]);
	if (there && high)
		return WS_OK;
	WSI_TRY(read_all(p, "frequency", rank, signals * p->most, p->hz, &there));
	if (!there)
		WSI_TRY(read_all(p, "mean_frequency", rank, signals * p->most, p->hz, &there));
	for (size_t i = 0; !there && i < signals * p->most; i++)
		p->hz[i] = NAN;
	return WS_OK;
}

static ws_status
open_result(cli_parts *p, const cli_args *args)
{
	const wsi_open_opts opts = cli_open_opts(args);
	wsi_open_opts plain = { .memory = opts.memory, .opened = opts.opened };
	ws_status status = wsi_arrays_open(&p->rec, args->operands[0], &plain);
	if (status == WS_E_UNSUPPORTED)
		status = wsi_modes_open(&p->rec, args->operands[0], &plain);
	WSI_TRY(status);
	WSI_TRY(find_arrays(p));
	const size_t signals = p->epochs * p->channels;
	double *numbers = calloc(signals * p->most + signals + 1, sizeof *numbers);
	p->count = calloc(signals, sizeof *p->count);
	p->hz = calloc(signals * p->most + 1, sizeof *p->hz);
	p->dropped = calloc(signals, p->most + 1);
	status = numbers && p->count && p->hz && p->dropped
	         ? take_counts(p, signals, numbers)
	         : WSI_FAIL(WS_E_NOMEM, "%s: no memory for %zu signals", p->rec->path, signals);
	if (status == WS_OK)
		status = take_frequencies(p, signals, numbers);
	free(numbers);
	return status;
}

/* ---- Which parts --------------------------------------------------------------------------- */

/* A list as it is taken apart. */
typedef struct choice {
	cli_parts *p;
	const char *option;
	const size_t *channels;  /* [n] that this list is of */
	size_t n;
	bool keep;
	bool *listed;            /* [channel] */
} choice;

static void
mark(const choice *c, size_t signal, size_t row)
{
	c->p->dropped[signal * (c->p->most + 1) + row] = 1;
}

/* "8:13": rows whose frequency lies there. */
static ws_status
take_band(const choice *c, const char *item, double low, double high)
{
	cli_parts *p = c->p;
	size_t found = 0, known = 0;
	for (size_t e = 0; e < p->epochs; e++)
		for (size_t k = 0; k < c->n; k++) {
			const size_t i = e * p->channels + c->channels[k];
			for (size_t row = 0; row < p->count[i]; row++) {
				const double hz = p->hz[i * p->most + row];
				known += !isnan(hz);
				if (!(hz >= low && hz < high))
					continue;
				mark(c, i, row);
				found++;
			}
		}
	if (!known)
		return WSI_FAIL(WS_E_ARG, "--%s %s: %s does not tell frequencies; name %ss by "
		                "their numbers", c->option, item, p->rec->path, p->noun);
	return found ? WS_OK
	       : WSI_FAIL(WS_E_ARG, "--%s %s: no %s of these channels has its frequency there",
	                  c->option, item, p->noun);
}

/* Rows first to last, counted from 0; of most: what is in none. */
static void
take_rows(const choice *c, size_t first, size_t last)
{
	for (size_t e = 0; e < c->p->epochs; e++)
		for (size_t k = 0; k < c->n; k++)
			for (size_t row = first; row <= last; row++)
				mark(c, e * c->p->channels + c->channels[k], row);
}

/* "3", "2-4", "5-": false where it is none. */
static bool
parse_range(const char *item, size_t most, size_t *first, size_t *last)
{
	char *end;
	if (*item < '0' || *item > '9')
		return false;
	*first = *last = strtoul(item, &end, 10);
	if (*end == '-') {
		const char *second = end + 1;
		*last = *second ? strtoul(second, &end, 10) : most;
		end = *second ? end : (char *)second;
		if (*second && (*second < '0' || *second > '9'))
			return false;
	}
	return *end == '\0';
}

static ws_status
take_item(const choice *c, char *item)
{
	const cli_parts *p = c->p;
	size_t first, last;
	double low, high;
	char *colon = strchr(item, ':');
	if (strcmp(item, "none") == 0)
		return WS_OK;
	if (strcmp(item, "rest") == 0 || strcmp(item, "residue") == 0) {
		take_rows(c, p->most, p->most);
		return WS_OK;
	}
	if (strcmp(item, "all") == 0) {
		take_rows(c, 0, p->most);
		return WS_OK;
	}
	if (colon) {
		*colon = '\0';
		const bool good = cli_parse_real(item, &low) && cli_parse_real(colon + 1, &high)
		                  && low < high;
		*colon = ':';
		if (good)
			return take_band(c, item, low, high);
	} else if (parse_range(item, p->most, &first, &last)) {
		if (first < 1 || last < first || last > p->most)
			return WSI_FAIL(WS_E_ARG, p->most ? "--%s %s: %s has %ss 1 to %zu"
			                : "--%s %s: %s has no %s", c->option, item,
			                p->rec->path, p->noun, p->most);
		take_rows(c, first - 1, last - 1);
		return WS_OK;
	}
	return WSI_FAIL(WS_E_ARG, "--%s: '%s' is no %s: give numbers (1, 2-4, 5-), frequencies "
	                "(8:13), rest, all or none", c->option, item, p->noun);
}

static ws_status
select_channels(const cli_parts *p, const char *list, const char *option, const size_t *among,
                size_t n_among, size_t **picked, size_t *n)
{
	const char **names;
	WSI_NEW(names, n_among + 1, "%s: no memory", p->rec->path);
	for (size_t i = 0; i < n_among; i++)
		names[i] = p->rec->channels[among ? among[i] : i].name;
	const ws_status status = wsi_select(list, n_among, names, option, p->rec->path, picked, n);
	free(names);
	for (size_t i = 0; status == WS_OK && among && i < *n; i++)
		(*picked)[i] = among[(*picked)[i]];
	return status;
}

/* "1,8:13" or "Cz,Pz=1,8:13". */
static ws_status
take_clause(choice *c, char *clause)
{
	const cli_parts *p = c->p;
	char *equals = strrchr(clause, '='), *list = equals ? equals + 1 : clause, *save = NULL;
	size_t *picked = NULL;
	c->channels = p->chosen;
	c->n = p->n_chosen;
	if (equals) {
		*equals = '\0';
		WSI_TRY(select_channels(p, clause, c->option, p->chosen, p->n_chosen, &picked,
		                        &c->n));
		c->channels = picked;
	}
	char *item = strtok_r(list, ", ", &save);
	ws_status status = item ? WS_OK
	                   : WSI_FAIL(WS_E_ARG, "--%s: names no %s; give numbers, frequencies "
	                              "(8:13), rest, all or none", c->option, p->noun);
	for (; status == WS_OK && item; item = strtok_r(NULL, ", ", &save))
		status = take_item(c, item);
	for (size_t k = 0; k < c->n; k++)
		c->listed[c->channels[k]] = true;
	free(picked);
	return status;
}

/* What is marked was to be kept: all else of these channels is dropped. */
static void
invert(const choice *c)
{
	const cli_parts *p = c->p;
	for (size_t i = 0; i < p->epochs * p->channels; i++)
		for (size_t row = 0; c->listed[i % p->channels] && row <= p->most; row++) {
			const bool there = row < p->count[i] || row == p->most;
			unsigned char *at = &p->dropped[i * (p->most + 1) + row];
			*at = there && !*at;
		}
}

static ws_status
choose(cli_parts *p, const cli_args *args)
{
	choice c = { .p = p, .keep = args->keep != NULL, .option = args->keep ? "keep" : "drop" };
	if (!args->keep == !args->drop)
		return WSI_FAIL(WS_E_ARG, "%s", args->keep ? "--keep and --drop both say what is "
		                "left: give one" : "nothing says what to drop: give --drop or "
		                "--keep, such as --drop 1");
	WSI_TRY(select_channels(p, args->channels ? args->channels : "*", "channels", NULL,
	                        p->channels, &p->chosen, &p->n_chosen));
	char *lists = strdup(args->keep ? args->keep : args->drop), *save = NULL;
	c.listed = calloc(p->channels, sizeof *c.listed);
	ws_status status = lists && c.listed ? WS_OK
	                   : WSI_FAIL(WS_E_NOMEM, "%s: no memory", p->rec->path);
	if (status == WS_OK && !lists[strspn(lists, "; ")])
		status = WSI_FAIL(WS_E_ARG, "--%s is empty; give numbers, frequencies (8:13), "
		                  "rest, all or none", c.option);
	for (char *clause = status == WS_OK ? strtok_r(lists, ";", &save) : NULL;
	     status == WS_OK && clause; clause = strtok_r(NULL, ";", &save))
		status = take_clause(&c, clause);
	if (status == WS_OK && c.keep)
		invert(&c);
	free(lists);
	free(c.listed);
	return status;
}

ws_status
cli_parts_open(cli_parts *p, const cli_args *args)
{
	*p = (cli_parts){ 0 };
	WSI_TRY(open_result(p, args));
	return choose(p, args);
}

void
cli_parts_close(cli_parts *p)
{
	wsi_recording_close(p->rec);
	free(p->count);
	free(p->hz);
	free(p->chosen);
	free(p->dropped);
	*p = (cli_parts){ 0 };
}

const char *
cli_parts_describe(const cli_parts *p, size_t i, char text[200])
{
	wsi_describe_list(p->dropped + i * (p->most + 1), p->count[i], text, 180);
	if (cli_parts_dropped(p, i, p->most))
		strcat(text, *text ? ",rest" : "rest");
	else if (!*text)
		strcpy(text, "nothing");
	return text;
}
