/* decimate.c - the extremes of each stretch of a row. */
#include "plot/decimate.h"

#include <math.h>
#include <stdbool.h>

static bool
kept_whole(size_t samples, size_t columns)
{
	return samples / 2 <= columns;
}

size_t
wsi_trace_points(size_t samples, size_t columns)
{
	return kept_whole(samples, columns) ? samples : 2 * columns;
}

/* First sample of a stretch, without overflow for any length. */
static size_t
stretch_start(const wsi_trace *t, size_t column)
{
	return t->samples / t->columns * column + t->samples % t->columns * column / t->columns;
}

void
wsi_trace_start(wsi_trace *t, size_t samples, size_t columns, wsi_point *points)
{
	if (kept_whole(samples, columns))
		columns = samples;
	*t = (wsi_trace){.points = points, .samples = samples, .columns = columns,
	                 .lo = INFINITY, .hi = -INFINITY};
	t->next = stretch_start(t, 1);
	t->least.value = INFINITY;
	t->most.value = -INFINITY;
}

static void
finish_stretch(wsi_trace *t)
{
	double start = (double)stretch_start(t, t->column);
	double length = (double)t->next - 1 - start;
	bool rising = t->least.at < t->most.at;
	double first = rising ? t->least.value : t->most.value;
	double second = rising ? t->most.value : t->least.value;
	t->points[t->n++] = (wsi_point){start + length / 4, first};
	if (t->least.at != t->most.at)
		t->points[t->n++] = (wsi_point){start + length * 3 / 4, second};
	t->lo = fmin(t->lo, t->least.value);
	t->hi = fmax(t->hi, t->most.value);
	t->least.value = INFINITY;
	t->most.value = -INFINITY;
	++t->column;
	t->next = stretch_start(t, t->column + 1);
}

ws_status
wsi_trace_push(wsi_trace *t, const double *x, size_t first, size_t count, size_t *bad)
{
	for (size_t i = 0; i < count;) {
		size_t end = t->next - first < count ? t->next - first : count;
		double lo = t->least.value, hi = t->most.value;
		for (; i < end; ++i) {
			double v = x[i];
			/* Also true for NaN, so that the usual sample costs one test. */
			if (!(v >= lo && v <= hi)) {
				if (!(fabs(v) <= 1e300)) {
					*bad = first + i;
					return WS_E_FORMAT;
				}
				if (v < lo)
					t->least = (wsi_point){(double)(first + i), lo = v};
				if (v > hi)
					t->most = (wsi_point){(double)(first + i), hi = v};
			}
		}
		if (first + i == t->next)
			finish_stretch(t);
	}
	return WS_OK;
}
