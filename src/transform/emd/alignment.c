/* alignment.c - how far modes of multivariate EMD are one rhythm in all channels. */
#include <math.h>
#include <string.h>

#include "math/alignment.h"
#include "transform/emd/emd.h"

/* A channel counts in a mode where it holds at least this part of the largest share that the mode
 * has of the variance of any channel. */
#define COUNTS 0.01

static size_t
together(const wsi_emd_plan *plan)
{
	const ws_shape *shape = &plan->base.shape;
	return shape->recording_channels ? shape->recording_channels : shape->channels;
}

bool
wsi_emd_aligns(const wsi_emd_plan *plan)
{
	return plan->params.o.method == WS_METHOD_MEMD && together(plan) > 1;
}

size_t
wsi_emd_spectrum_points(const wsi_emd_plan *plan)
{
	return wsi_emd_aligns(plan) ? spectrum_points(plan->base.shape.samples) : 0;
}

/* What has been added up so far of a mode. */
typedef struct pairs {
	double *sum;            /* [points]: of the roots, times their weights */
	size_t points, channels;
	double weight, weights; /* of the channels; of all pairs */
	double overlap;         /* of all pairs, times their weights */
} pairs;

/* The overlap with all channels before it. */
static void
add(pairs *p, const double *roots, double weight)
{
	double overlap = 0.0;
	for (size_t i = 0; i < p->points; ++i)
		overlap += roots[i] * p->sum[i];
	for (size_t i = 0; i < p->points; ++i)
		p->sum[i] += weight * roots[i];
	p->overlap += weight * overlap;
	p->weights += weight * p->weight;
	p->weight += weight;
	p->channels++;
}

/* Of mode k in the channels first .. first + n - 1. */
static double
alignment_of(const wsi_emd_scratch *s, size_t first, size_t n, size_t k)
{
	pairs p = { .sum = s->sum, .points = s->points };
	double largest = 0.0;
	for (size_t c = first; c < first + n; ++c)
		largest = fmax(largest, *wsi_emd_scratch_figure(s, c, k));
	memset(p.sum, 0, p.points * sizeof *p.sum);
	for (size_t c = first; c < first + n && largest > 0.0; ++c) {
		const double weight = *wsi_emd_scratch_figure(s, c, k) / largest;
		if (weight >= COUNTS && spectrum_roots(wsi_emd_spectrum(s, c, k), p.points))
			add(&p, wsi_emd_spectrum(s, c, k), weight);
	}
	return p.channels < 2 ? (double)NAN : fmin(p.overlap / p.weights, 1.0);
}

void
wsi_emd_alignment(const wsi_emd_plan *plan, const wsi_io *io, const wsi_emd_scratch *s)
{
	const size_t n = together(plan);
	for (size_t first = 0; first < plan->base.shape.channels; first += n) {
		const int32_t modes = *(int32_t *)wsi_io_row(io, WS_EMD_MODE_COUNT, first, 0);
		for (size_t k = 0; k < (size_t)modes; ++k) {
			const double alignment = alignment_of(s, first, n, k);
			for (size_t c = first; c < first + n; ++c)
				*(double *)wsi_io_row(io, WS_EMD_ALIGNMENT, c, k) = alignment;
		}
	}
}
