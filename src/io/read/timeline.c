/* timeline.c - where the times of a recording of several segments lie. */
#include "io/read/timeline.h"

#include <math.h>
#include <stdlib.h>

#include "base/new.h"

typedef struct stretch {
	double start, end;   /* of its samples' times, half a step wider at the start and narrower
	                        at the end */
	size_t segment;
	/* Of this one and those that begin before: the one that ends last, and the end of the
	 * second of them. */
	size_t last;
	double last_end, second_end;
} stretch;

struct wsi_timeline {
	size_t n;
	stretch items[];
};

_Static_assert(sizeof(stretch) <= WSI_TIMELINE_BYTES, "what a segment takes is counted");

static int
by_start(const void *a, const void *b)
{
	const stretch *x = a, *y = b;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->segment < y->segment ? -1 : x->segment > y->segment;
}

ws_status
wsi_timeline_make(wsi_timeline **line, const wsi_recording *rec, double fs, size_t samples)
{
	const size_t n = rec->n_segments;
	wsi_timeline *l = malloc(sizeof *l + n * sizeof *l->items);
	*line = l;
	WSI_HAVE(l, "%s: no memory for the times of %zu segments", rec->path, n);
	l->n = n;
	for (size_t k = 0; k < n; ++k) {
		const size_t first = wsi_segment_first(rec, k, fs, samples);
		const size_t end = wsi_segment_first(rec, k + 1, fs, samples);
		const double start = wsi_segment_time(rec, first, fs) - 0.5 / fs;
		l->items[k] = (stretch){ .segment = k, .start = start,
			.end = start + (double)(end - first) / fs };
	}
	if (n)
		qsort(l->items, n, sizeof *l->items, by_start);
	double last_end = -INFINITY, second_end = -INFINITY;
	for (size_t i = 0, last = 0; i < n; ++i) {
		const double end = l->items[i].end;
		if (end > last_end) {
			second_end = last_end;
			last_end = end;
			last = i;
		} else {
			second_end = fmax(second_end, end);
		}
		l->items[i].last = last;
		l->items[i].last_end = last_end;
		l->items[i].second_end = second_end;
	}
	return WS_OK;
}

void
wsi_timeline_free(wsi_timeline *line)
{
	free(line);
}

/* How many begin at or before t. */
static size_t
count_begun(const wsi_timeline *line, double t)
{
	size_t low = 0, high = line->n;
	while (low < high) {
		const size_t i = low + (high - low) / 2;
		if (line->items[i].start <= t)
			low = i + 1;
		else
			high = i;
	}
	return low;
}

size_t
wsi_timeline_find(const wsi_timeline *line, double t)
{
	const size_t begun = count_begun(line, t);
	if (begun == 0)
		return SIZE_MAX;
	const stretch *s = &line->items[begun - 1];
	return t < s->last_end && !(t < s->second_end) ? line->items[s->last].segment : SIZE_MAX;
}

bool
wsi_timeline_outside(const wsi_timeline *line, double t, size_t *k)
{
	const stretch *last = &line->items[line->n - 1];
	*k = t < line->items[0].start ? line->items[0].segment : line->items[last->last].segment;
	return t < line->items[0].start || t >= last->last_end;
}

ws_status
wsi_timeline_of(wsi_timeline **line, const wsi_recording *rec)
{
	double fs, length;
	wsi_recording_measure(rec, &fs, &length);
	return wsi_timeline_make(line, rec, fs, (size_t)fmin(length * fs + 0.5, 0x1p62));
}

/* Where samples count a time of the file's own. */
static double
joined_time(const wsi_recording *rec, const wsi_timeline *line, double t)
{
	const size_t k = wsi_timeline_find(line, t);
	if (k != SIZE_MAX)
		return rec->segments[k].at + (t - rec->segments[k].start);
	/* Of a pause, the segment that begins next; of two that overlap, the later one. */
	const size_t begun = count_begun(line, t);
	const wsi_segment *last = &rec->segments[rec->n_segments - 1];
	if (begun > 0 && t < line->items[begun - 1].end) {
		const wsi_segment *s = &rec->segments[line->items[begun - 1].segment];
		return s->at + (t - s->start);
	}
	return begun < line->n ? rec->segments[line->items[begun].segment].at + fmin(0, t)
	       : last->at + (t - last->start);
}

ws_status
wsi_recording_join(wsi_recording *rec)
{
	wsi_timeline *line = NULL;
	if (rec->n_segments == 0)
		return WS_OK;
	if (!rec->epochs)
		WSI_TRY(wsi_timeline_of(&line, rec));
	for (size_t i = 0; line && i < rec->n_events; ++i)
		rec->events[i].onset = joined_time(rec, line, rec->events[i].onset);
	wsi_timeline_free(line);
	free(rec->segments);
	rec->segments = NULL;
	rec->n_segments = 0;
	return wsi_recording_sort_events(rec);
}
