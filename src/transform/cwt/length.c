/* length.c - the padded length of a plan of frequencies, and what it has for wavelets that none is
 * long enough for: edges, tables. */
#include <math.h>
#include <stdlib.h>

#include "base/status.h"
#include "transform/cwt/edge.h"
#include "transform/cwt/maker.h"

static size_t
power_of_two(size_t n)
{
	size_t p = 1;
	while (p < n)
		p *= 2;
	return p;
}

static size_t
choose_length(const wsi_cwt_maker *m, double reach, double edge)
{
	const wsi_cwt *cwt = m->cwt;
	const size_t n = cwt->samples, d = cwt->o.decimate;
	switch (m->reference->length) {
	case WSI_LENGTH_POWER:
		return power_of_two(n);
	case WSI_LENGTH_SSQUEEZEPY: {
		const double octaves = wavelet_log((double)n) / WSI_LN_2;
		return (size_t)1 << (1 + (int)rint(octaves));
	}
	case WSI_LENGTH_EXACT:
		return n;
	default:
		break;
	}
	if (cwt->o.padding == WS_PADDING_PERIODIC)
		return n;
	/* Two mirror images need the wavelet's reach each, and half of it to fade into each other;
	 * from a gap of n - 2 on they are one (of references; others go on). */
	const double whole = fmax(edge, cwt->o.padding == WS_PADDING_ZERO ? reach : 2.5 * reach);
	size_t most = cwt->o.padding == WS_PADDING_ZERO || n < 2 ? n : n - 2;
	if (wsi_cwt_is_ours(m) || (m->reference->tap_count && cwt->o.padding == WS_PADDING_ZERO))
		most = SIZE_MAX;
	const size_t gap = whole < (double)most ? (size_t)ceil(whole) : most;
	/* Grids of up to 16 outputs a point, but no more than an eighth is added for that. */
	const size_t least = (n + gap + d - 1) / d;
	size_t multiple = WSI_FFT_ACROSS * WSI_FFT_ACROSS;
	for (int i = 0; i < 4 && 16 * multiple <= least; ++i)
		multiple *= 2;
	return d * wsi_fft_length(least, multiple);
}

/* Edges instead of tables, where responses are cut and no wavelet is too long; chooses the padded
 * length then.  *done: it is so. */
static ws_status
make_edge(wsi_cwt_maker *m, bool *done)
{
	wsi_cwt *cwt = m->cwt;
	wsi_cwt_edge *edge;
	double all = 0.0, high_reach = 0.0;
	bool low = false, high = false;
	*done = false;
	for (size_t i = 0; i < cwt->count; ++i) {
		const wsi_cwt_scale *scale = &cwt->scale[i];
		if (scale->of != cwt)
			continue;
		if (scale->reach > m->far.reach)
			return WS_OK;
		low = low || scale->cut_low;
		high = high || scale->cut_high;
		all = fmax(all, scale->reach);
		/* Others hear nothing of the bins that are made. */
		if (scale->high > 0.75 * WSI_PI * scale->scale * m->unit * cwt->fs)
			high_reach = fmax(high_reach, scale->reach);
	}
	if (!(low || high))
		return WS_OK;
	const double reach = low ? all : high_reach;
	const ws_padding padding = cwt->o.padding;
	/* Where a length that is fast has room enough by itself, it is that. */
	size_t length = choose_length(m, all, 0.0);
	WSI_TRY(wsi_edge_lay_out(&edge, cwt->wide, cwt->samples, length, padding, cwt->type,
	                         reach));
	if (!edge) {
		length = choose_length(m, all, wsi_edge_gap(cwt->samples, padding, cwt->type,
		                                            reach));
		WSI_TRY(wsi_edge_lay_out(&edge, cwt->wide, cwt->samples, length, padding,
		                         cwt->type, reach));
	}
	if (!edge)
		return WS_OK;
	edge->at_zero = low;
	edge->at_half = high;
	cwt->edge = edge;
	cwt->length = length;
	cwt->below = low ? (edge->out + WSI_FFT_ACROSS - 1) / WSI_FFT_ACROSS * WSI_FFT_ACROSS : 0;
	cwt->above = high ? edge->out : 0;
	for (size_t i = 0; i < cwt->count; ++i)
		if (cwt->scale[i].of == cwt)
			cwt->scale[i].far = false;
	*done = true;
	return WS_OK;
}

ws_status
wsi_cwt_make_length(wsi_cwt_maker *m)
{
	wsi_cwt *cwt = m->cwt;
	double reach = 0.0;
	bool far = false, done;
	WSI_TRY(make_edge(m, &done));
	if (done)
		return WS_OK;
	for (size_t i = 0; i < cwt->count; ++i) {
		const wsi_cwt_scale *scale = &cwt->scale[i];
		if (scale->of != cwt)
			continue;
		reach = fmax(reach, scale->far ? m->far.reach : scale->reach);
		far = far || scale->far;
	}
	cwt->length = choose_length(m, reach, 0.0);
	if (far) {
		cwt->far = malloc(sizeof *cwt->far);
		if (!cwt->far)
			return WSI_FAIL(WS_E_NOMEM, "no memory for a plan");
		*cwt->far = m->far;
		wsi_far_prepare(cwt->far);
	}
	return WS_OK;
}

void
wsi_cwt_mirror_bins(wsi_cwt *cwt)
{
	const int64_t most = (int64_t)(cwt->length / 16), last = (int64_t)(cwt->length / 2);
	int64_t below = 0, above = 0;
	for (size_t i = 0; i < cwt->count; ++i) {
		const wsi_cwt_response *f = &cwt->scale[i].response;
		if (cwt->scale[i].of != cwt)
			continue;
		const int64_t before = -f->k0, beyond = f->k1 - 1 - last;
		below = before > below && before <= most ? before : below;
		above = beyond > above && beyond <= most ? beyond : above;
	}
	cwt->below = ((size_t)below + WSI_FFT_ACROSS - 1) / WSI_FFT_ACROSS * WSI_FFT_ACROSS;
	cwt->above = (size_t)above;
}
