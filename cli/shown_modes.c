/* shown_modes.c - --plot-modes: of a decomposition some modes are drawn. */
#include "shown_modes.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"

/* Rows as they are drawn, of those that there are. */
typedef struct shown {
	wsi_plot_read read, interval;
	void *user;
	const size_t *all;       /* [channel] its modes */
	const size_t *modes;     /* [channel] of them shown */
	const size_t *numbers;
} shown;

/* "2-6", "3", "residue" at the beginning of text; its end, or NULL. */
static const char *
take_item(const char *text, bool chosen[WSI_MOST_MODES + 1], bool *residue)
{
	char *end;
	const size_t length = strcspn(text, ",");
	if (length == 7 && strncmp(text, "residue", 7) == 0) {
		*residue = true;
		return text + length;
	}
	if (*text < '0' || *text > '9')
		return NULL;
	const long from = strtol(text, &end, 10);
	long to = from;
	if (*end == '-' && end[1] >= '0' && end[1] <= '9')
		to = strtol(end + 1, &end, 10);
	if (end != text + length || from < 1 || to < from || to > WSI_MOST_MODES)
		return NULL;
	for (long m = from; m <= to; m++)
		chosen[m] = true;
	return end;
}

static ws_status
choose(const char *list, bool chosen[WSI_MOST_MODES + 1], bool *residue)
{
	memset(chosen, 0, WSI_MOST_MODES + 1);
	*residue = false;
	const char *at = list;
	while ((at = take_item(at, chosen, residue)) && *at == ',')
		at++;
	return at && !*at ? WS_OK
	       : WSI_FAIL(WS_E_ARG, "--plot-modes %s: numbers of modes are needed, counted from 1, "
	                  "such as 2-6,8, or residue", list);
}

ws_status
cli_shown_modes_check(const char *list)
{
	bool chosen[WSI_MOST_MODES + 1], residue;
	return list ? choose(list, chosen, &residue) : WS_OK;
}

/* The row, of all that there are, that is shown as this one. */
static size_t
number_of(const shown *s, size_t channel, size_t row)
{
	const bool residue = row > s->modes[channel];
	return row == 0 ? 0 : residue ? s->all[channel] + 1 : s->numbers[row - 1];
}

/* Both as a wsi_plot_read. */
static ws_status
read_shown(void *user, size_t channel, size_t row, size_t first, size_t count, double *out)
{
	const shown *s = user;
	return s->read(s->user, channel, number_of(s, channel, row), first, count, out);
}

static ws_status
read_interval(void *user, size_t channel, size_t row, size_t first, size_t count, double *out)
{
	const shown *s = user;
	return s->interval(s->user, channel, number_of(s, channel, row), first, count, out);
}

/* Of n elements of a size those of the modes that are shown; NULL of NULL. */
static void *
pick(const void *from, size_t size, const shown *s, size_t n, wsi_kept *kept)
{
	char *to = from ? wsi_kept_new(kept, n, size) : NULL;
	for (size_t i = 0; to && i < n; i++)
		memcpy(to + i * size, (const char *)from + (s->numbers[i] - 1) * size, size);
	return to;
}

ws_status
cli_shown_modes(const char *list, wsi_plot_data *d, wsi_kept *kept)
{
	bool chosen[WSI_MOST_MODES + 1], residue;
	size_t most = 0, n = 0;
	if (!list)
		return WS_OK;
	WSI_TRY(choose(list, chosen, &residue));
	for (size_t c = 0; c < d->n_channels; c++)
		most = d->modes[c] > most ? d->modes[c] : most;
	size_t *numbers = wsi_kept_new(kept, most + 1, sizeof *numbers);
	size_t *modes = wsi_kept_new(kept, d->n_channels, sizeof *modes);
	const ws_mode_figures **figures = wsi_kept_new(kept, d->n_channels, sizeof *figures);
	shown *s = wsi_kept_new(kept, 1, sizeof *s);
	WSI_TRY(wsi_plot_kept(kept, d->source));
	for (size_t m = 1; m <= most && m <= WSI_MOST_MODES; m++)
		if (chosen[m])
			numbers[n++] = m;
	if (n == 0 && !residue)
		return WSI_FAIL(WS_E_ARG, "--plot-modes %s: none of them is there; channels have "
		                "up to %zu modes", list, most);
	*s = (shown){ d->read, d->interval, d->user, d->modes, modes, numbers };
	for (size_t c = 0; c < d->n_channels; c++) {
		while (modes[c] < n && numbers[modes[c]] <= d->modes[c])
			modes[c]++;
		figures[c] = d->figures ? pick(d->figures[c], sizeof **figures, s, modes[c], kept)
		             : NULL;
	}
	d->figures = d->figures ? figures : NULL;
	d->alignment = pick(d->alignment, sizeof *d->alignment, s, n, kept);
	d->modes = modes;
	d->numbers = numbers;
	d->no_residue = !residue;
	d->read = read_shown;
	d->interval = d->interval ? read_interval : NULL;
	d->user = s;
	return wsi_plot_kept(kept, d->source);
}
