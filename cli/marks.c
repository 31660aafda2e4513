/* marks.c - the events that a figure marks. */
#include "marks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "io/read/names.h"
#include "message.h"

static ws_status
tell_none(const void *user, const char *item)
{
	(void)user;
	cli_note("--events-shown %s: no event that the figure may mark is called so", item);
	return WS_OK;
}

static int
by_time(const void *a, const void *b)
{
	const double x = ((const wsi_mark *)a)->time, y = ((const wsi_mark *)b)->time;
	return (x > y) - (x < y);
}

ws_status
cli_marks_take(wsi_kept *kept, const char *shown, const cli_marked *m, wsi_plot_data *data)
{
	const double length = (double)data->samples / data->fs, half = 0.5 / data->fs;
	bool *chosen = wsi_kept_new(kept, m->n, sizeof *chosen);
	wsi_mark *marks = wsi_kept_new(kept, m->n + 1, sizeof *marks);
	bool zero = m->epoch > 0 && data->first_time < 0 && data->first_time + length > 0;
	size_t n = 0;
	data->marks = marks;
	if (shown && strcmp(shown, "none") == 0)
		return WS_OK;
	WSI_TRY(wsi_plot_kept(kept, data->source));
	if (shown && m->n)
		WSI_TRY(wsi_names_of_events(shown, "events_shown", m->events, m->n, chosen,
		                            tell_none, NULL));
	for (size_t i = 0; i < m->n; i++) {
		const double at = m->events[i].time - data->first_time;
		if (m->events[i].epoch != m->epoch || (shown && !chosen[i]) || at < -half
		    || at > length - half)
			continue;
		zero = zero && fabs(m->events[i].time) > half;
		marks[n++] = (wsi_mark){ fmax(at, 0), m->events[i].label };
	}
	if (zero)
		marks[n++] = (wsi_mark){ -data->first_time, m->about ? m->about : "" };
	qsort(marks, n, sizeof *marks, by_time);
	data->n_marks = n;
	return WS_OK;
}
