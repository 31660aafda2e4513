/* input_checks.c - are samples finite, and does their type hold them?  See input_checks.h. */
#include "io/read/input_checks.h"

#include <float.h>
#include <math.h>

#include "base/status.h"
#include "io/read/input_samples.h"

/* Without branches, which the compiler vectorises; NaN compares false. */
static bool
all_good(const double *x, size_t n, double largest)
{
	int bad = 0;
	for (size_t k = 0; k < n; k++)
		bad |= !(fabs(x[k]) <= largest);
	return !bad;
}

/* One sample of signal i, in order; gap: where the open one began, or SIZE_MAX. */
static ws_status
check_sample(wsi_input *in, size_t i, size_t at, double x, size_t *gap)
{
	const bool finite = isfinite(x);
	if (finite && fabs(x) > wsi_largest(in->type))
		return wsi_refuse_large(in, i, at, x);
	if (!finite && !in->interpolate)
		return wsi_refuse_gap(in, i, at);
	if (!finite && *gap == SIZE_MAX) {
		if (at == 0)
			return wsi_refuse_gap(in, i, at);
		*gap = at;
	}
	if (*gap != SIZE_MAX && at - *gap + !finite > wsi_input_longest_gap(in, i))
		return wsi_refuse_gap(in, i, *gap);
	if (finite)
		*gap = SIZE_MAX;
	in->mended[i] += !finite;
	return WS_OK;
}

/* Notes whether f32 leaves something of signal i: until a sample is found that it holds in full. */
static void
look_for_small(wsi_input *in, size_t i, size_t first, size_t count, const double *x)
{
	size_t *small = &in->small[i];
	for (size_t k = 0; k < count && *small != WSI_NOT_SMALL; k++) {
		const double size = fabs(x[k]);
		if (size >= FLT_MIN && isfinite(size))
			*small = WSI_NOT_SMALL;
		else if (*small == SIZE_MAX && size < FLT_MIN && size != (double)(float)size)
			*small = first + k;
	}
}

ws_status
wsi_check_chunk(wsi_input *in, size_t i, size_t first, size_t count, size_t samples,
                const double *x)
{
	size_t *gap = &in->gap[i];
	/* A signal may be read more than once. */
	if (first == 0)
		in->mended[i] = 0;
	if (in->type == WS_F32) {
		look_for_small(in, i, first, count, x);
		if (first + count == samples && in->small[i] < WSI_NOT_SMALL)
			return wsi_refuse_small(in, i, in->small[i]);
	}
	if (*gap == SIZE_MAX && all_good(x, count, wsi_largest(in->type)))
		return WS_OK;
	for (size_t k = 0; k < count; k++)
		WSI_TRY(check_sample(in, i, first + k, x[k], gap));
	if (first + count == samples && *gap != SIZE_MAX)
		return wsi_refuse_gap(in, i, *gap);
	return WS_OK;
}

ws_status
wsi_check_alone(wsi_input *in, size_t i, size_t first, size_t count, const double *x)
{
	size_t gap = SIZE_MAX;
	if (in->type == WS_F32)
		look_for_small(in, i, first, count, x);
	if (all_good(x, count, wsi_largest(in->type)))
		return WS_OK;
	for (size_t k = 0; k < count; k++) {
		if (in->interpolate && !isfinite(x[k]))
			continue;
		gap = SIZE_MAX;
		WSI_TRY(check_sample(in, i, first + k, x[k], &gap));
	}
	return WS_OK;
}

int64_t
wsi_input_small(const wsi_input *in, size_t i)
{
	const size_t small = in->small[i];
	return small == WSI_NOT_SMALL ? -1 : small == SIZE_MAX ? INT64_MAX : (int64_t)small;
}

ws_status
wsi_input_take_small(wsi_input *in, size_t i, int64_t least)
{
	in->small[i] = WSI_NOT_SMALL;
	return least < 0 || least == INT64_MAX ? WS_OK : wsi_refuse_small(in, i, (size_t)least);
}
