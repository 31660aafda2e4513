/* params.c - checks the options of a convolution and resolves their defaults. */
#include <math.h>

#include "base/status.h"
#include "transform/conv/conv.h"
#include "transform/conv/errors.h"

#define DEFAULT(field, value) o->field = o->field ? o->field : (value)

static ws_status
resolve_interpolation(ws_conv_opts *o)
{
	if (o->oversample != 0 && o->oversample != 1 && o->oversample != 2 && o->oversample != 4)
		return WSI_FAIL(WS_E_ARG, "oversample must be 1, 2 or 4, not %d", o->oversample);
	DEFAULT(oversample, 1);
	if ((unsigned)o->interpolation > WS_INTERPOLATE_KERNEL)
		return WSI_FAIL(WS_E_ARG, "ws_conv_opts: a choice is none of those documented");
	if (o->oversample == 1 && (o->interpolation || o->interpolation_kernel))
		return WSI_FAIL(WS_E_ARG, "interpolation is of signals that are oversampled: give "
		                "`oversample` 2 or 4, too");
	if (o->interpolation_kernel && o->interpolation &&
	    o->interpolation != WS_INTERPOLATE_KERNEL)
		return WSI_FAIL(WS_E_ARG, "an interpolation is given and a kernel of one, too: "
		                "leave out one of both");
	if (o->interpolation == WS_INTERPOLATE_KERNEL && !o->interpolation_kernel)
		return WSI_FAIL(WS_E_ARG, "interpolation kernel: give it "
		                "(`interpolation_kernel`)");
	if (o->oversample > 1 && !o->interpolation)
		o->interpolation = o->interpolation_kernel ? WS_INTERPOLATE_KERNEL
		                   : WS_INTERPOLATE_BAND_LIMITED;
	return WS_OK;
}

/* Are masks made, by a formula or an expression, rather than given? */
static bool
are_made(const ws_conv_opts *o)
{
	return o->mask_formula || o->mask_expression[0];
}

/* Masks come from one place. */
static ws_status
check_source(const ws_conv_opts *o)
{
	const bool made = are_made(o);
	if (o->masks && made)
		return WSI_FAIL(WS_E_ARG, "masks are given and %s too: leave out one of both",
		                o->mask_formula ? "a formula" : "an expression");
	if (o->mask_formula && o->mask_expression[0])
		return WSI_FAIL(WS_E_ARG, "a formula is given and an expression too: leave out one "
		                "of both");
	const bool constants = o->mask_constants[0] && !wsi_errors_by_expression(o);
	if ((o->mask_imaginary[0] || constants) && !o->mask_expression[0])
		return WSI_FAIL(WS_E_ARG, "%s belongs to an expression: give it, too "
		                "(`mask_expression`)", o->mask_imaginary[0] ? "an imaginary part"
		                : "a constant");
	if (!o->masks && !made)
		return WSI_FAIL(WS_E_ARG, "no masks: give some (`masks`), or a formula "
		                "(`mask_formula`), or an expression (`mask_expression`)");
	return WS_OK;
}

static ws_status
check_values(const ws_conv_opts *o)
{
	if ((unsigned)o->mask_formula > WS_MASK_DOPPLER || (unsigned)o->extent > WS_EXTENT_VALID ||
	    (unsigned)o->sums > WS_SUMS_COMPENSATED ||
	    (unsigned)o->mask_rounding > WS_ROUND_DITHER ||
	    (unsigned)o->scale_spacing > WS_SPACING_LINEAR ||
	    (unsigned)o->narrow > WS_NARROW_BF16 ||
	    (unsigned)o->method > WS_CONV_OVERLAP_SAVE)
		return WSI_FAIL(WS_E_ARG, "ws_conv_opts: a choice is none of those documented");
	WSI_TRY(wsi_errors_check_amplitude(o->amplitude_error));
	WSI_TRY(wsi_errors_check_timing(o->timing_error));
	WSI_TRY(wsi_errors_check_jitter(o->timing_jitter));
	if (o->decimate < 0)
		return WSI_FAIL(WS_E_ARG, "decimate must be 1 or more, not %d", o->decimate);
	if (!(fabs(o->mask_formula_param) <= 1e6))
		return WSI_FAIL(WS_E_ARG, "the parameter of the formula must be at most 1e6");
	if (o->method > WS_CONV_DIRECT && o->sums == WS_SUMS_COMPENSATED)
		return WSI_FAIL(WS_E_ARG, "sums are compensated by the direct method only: leave "
		                "out `sums` or `method`");
	if (o->accumulators < 0 || o->accumulators > WS_MOST_ACCUMULATORS)
		return WSI_FAIL(WS_E_ARG, "accumulators must be from 1 to %d, not %d",
		                WS_MOST_ACCUMULATORS, o->accumulators);
	if (o->accumulators > 1 && (o->method > WS_CONV_DIRECT || o->sums > WS_SUMS_PLAIN))
		return WSI_FAIL(WS_E_ARG, "%d accumulators are for plain sums by the direct "
		                "method: leave out `sums` and `method`, or `accumulators`",
		                o->accumulators);
	return WS_OK;
}

static ws_status
resolve_scales(ws_conv_opts *o)
{
	if (!are_made(o))
		return WS_OK;
	if (!o->scales) {
		if (!o->scale_count)
			o->scale_count = 32;
		if (!o->scale_low.denominator)
			o->scale_low = (ws_ratio){ 1, 1 };
		if (!o->scale_high.denominator)
			o->scale_high = (ws_ratio){ (int64_t)o->scale_count, 1 };
	}
	if (o->scale_count == 0 || o->scale_count > (size_t)1 << 24)
		return WSI_FAIL(WS_E_ARG, "%zu scales: there must be 1 to 2^24", o->scale_count);
	return WS_OK;
}

ws_status
wsi_conv_resolve_options(ws_conv_opts *o)
{
	WSI_TRY(check_source(o));
	WSI_TRY(check_values(o));
	if (o->mask_formula && o->mask_formula_param == 0.0)
		o->mask_formula_param = 5.0;
	WSI_TRY(resolve_scales(o));
	DEFAULT(mask_rounding, WS_ROUND_NEAREST);
	DEFAULT(extent, WS_EXTENT_SAME);
	DEFAULT(decimate, 1);
	DEFAULT(sums, WS_SUMS_PLAIN);
	WSI_TRY(resolve_interpolation(o));
	DEFAULT(accumulators, 1);
	if (o->sums == WS_SUMS_COMPENSATED || o->accumulators > 1)
		o->method = WS_CONV_DIRECT;
	return WS_OK;
}
