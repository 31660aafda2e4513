/* epochs.c - what averages over epochs share, of whatever spectra. */
#include "transform/epochs.h"

#include <math.h>
#include <string.h>

#include "base/status.h"
#include "math/averages.h"

ws_status
wsi_epochs_take(const ws_shape *shape, size_t least, size_t *epochs)
{
	*epochs = shape->epochs ? shape->epochs : 1;
	if (*epochs < least)
		return WSI_FAIL(WS_E_ARG, "averages need two epochs or more: cut them from a "
		                "recording around its events (`epochs_at`)");
	if (*epochs > ((size_t)1 << 48) / shape->samples / shape->channels)
		return WSI_FAIL(WS_E_ARG, "%zu epochs of %zu samples are more than 2^48 samples",
		                *epochs, shape->samples);
	return WS_OK;
}

/* ---- Options ----------------------------------------------------------------------------- */

static const ws_choice baseline_names[] = {
	{ "ratio", WS_BASELINE_RATIO }, { "db", WS_BASELINE_DB },
	{ "percent", WS_BASELINE_PERCENT }, { "z", WS_BASELINE_Z }, { NULL, 0 },
};

ws_status
wsi_baseline_set(const ws_option *option, void *opts, const char *text)
{
	char part[3][WSI_PART] = { "", "", "db" };
	const ws_choice *c;
	double begin, end;
	if (wsi_take_apart(text, ':', part, 3) < 2 || !wsi_parse_real(part[0], &begin) ||
	    !wsi_parse_real(part[1], &end) || end < begin)
		return WSI_FAIL(WS_E_ARG, "times of an epoch in seconds are needed, and how to "
		                "compare, such as -0.5:0 or -0.5:0:percent");
	WSI_TRY(wsi_choice_take(&c, baseline_names, part[2], strlen(part[2])));
	/* One by one: what lies behind them in the struct may stand where this type has padding. */
	wsi_baseline *b = (void *)((char *)opts + option->offset);
	b->from = begin;
	b->to = end;
	b->how = (ws_baseline)c->value;
	return WS_OK;
}

void
wsi_baseline_tell(const ws_option *option, const void *opts, wsi_line *to)
{
	const wsi_baseline *b = (const void *)((const char *)opts + option->offset);
	if (!b->how)
		return;
	wsi_line_put_real(to, b->from);
	wsi_line_put(to, ":");
	wsi_line_put_real(to, b->to);
	wsi_line_put(to, ":%s", wsi_choice_name(baseline_names, (int)b->how));
}

ws_status
wsi_baseline_check(const wsi_baseline *b)
{
	if ((int)b->how < 0 || b->how > WS_BASELINE_Z)
		return WSI_FAIL(WS_E_ARG, "there is no baseline %d", (int)b->how);
	if (b->how && !(b->to >= b->from))
		return WSI_FAIL(WS_E_ARG, "the baseline ends at %g s, before it begins at %g s",
		                b->to, b->from);
	return WS_OK;
}

/* ---- The comparison ------------------------------------------------------------------------ */

ws_status
wsi_baseline_place(const wsi_baseline *b, double start, double step, size_t n, size_t *from,
                   size_t *to)
{
	/* A moment that is a sample's but for rounding is that sample's. */
	const double near = 1e-6;
	const double first = ceil((b->from - start) / step - near);
	const double last = floor((b->to - start) / step + near);
	const double most = (double)(n - 1);
	*from = (size_t)(first > 0.0 ? first < most ? first : most : 0.0);
	*to = (size_t)(last > 0.0 ? last < most ? last : most : 0.0);
	const double needed = b->how == WS_BASELINE_Z ? 1.0 : 0.0;
	if (!(last >= 0.0) || !(first <= most) || !(last >= first) ||
	    (double)*to - (double)*from < needed)
		return WSI_FAIL(WS_E_ARG, "the baseline, %g to %g s, holds too few samples of an "
		                "epoch, which has %g to %g s", b->from, b->to, start,
		                start + most * step);
	/* A step more: times are those of samples, or the middles of bins. */
	if (first < -1.0 || last > most + 1.0)
		return WSI_FAIL(WS_E_ARG, "the baseline, %g to %g s, reaches beyond the epochs, "
		                "which have %g to %g s: give it other times, or them (`tmin`, "
		                "`tmax`)", b->from, b->to, start, start + most * step);
	return WS_OK;
}

void
wsi_baseline_compare(ws_baseline how, size_t first, size_t last, double *p, size_t n)
{
	const double samples = (double)(last - first + 1);
	double mean = 0.0, square = 0.0;
	for (size_t t = first; t <= last; ++t)
		mean += p[t];
	mean /= samples;
	for (size_t t = first; t <= last; ++t)
		square += (p[t] - mean) * (p[t] - mean);
	const double deviation = sqrt(square / samples);
	for (size_t t = 0; t < n; ++t)
		p[t] = averages_compared(how, p[t], mean, deviation);
}
