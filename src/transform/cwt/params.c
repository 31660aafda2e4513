/* params.c - checks the options of wavelets and resolves their defaults. */
#include <math.h>

#include "base/status.h"
#include "math/quantities.h"
#include "transform/cwt/cwt.h"

/* omega0 of ssqueezepy's Morlet wavelet of zero mean. */
#define SSQUEEZEPY_OMEGA0 13.4

#define OR(field) o->field = o->field ? o->field : d->field

/* omega0 beside another width; what the options of a plan have by default passes. */
static ws_status
check_width_once(const ws_cwt_opts *o, const ws_cwt_opts *d)
{
	const bool ssq = o->reference == WS_CWT_REF_SSQUEEZEPY;
	if ((!o->cycles && o->fwhm == 0.0) || o->param[0] == 0.0 ||
	    o->param[0] == (ssq ? SSQUEEZEPY_OMEGA0 : d->param[0]))
		return WS_OK;
	return WSI_FAIL(WS_E_ARG, "`wavelet` has a width already, omega0 %g: leave it or `%s` out",
	                o->param[0], o->cycles ? "cycles" : "fwhm");
}

static ws_status
check_width(const ws_cwt_opts *o)
{
	if (!o->cycles && o->fwhm == 0.0)
		return WS_OK;
	if (!wsi_cwt_is_morlet(o->wavelet))
		return WSI_FAIL(WS_E_ARG,
		                "cycles and width at half maximum are of Morlet wavelets");
	if (o->cycles && o->fwhm != 0.0)
		return WSI_FAIL(WS_E_ARG, "give cycles or a width at half maximum, not both");
	if (o->cycles && !o->cycle_count)
		return WSI_FAIL(WS_E_ARG, "the list of cycles is empty");
	if (!o->cycles && !(o->fwhm > 0.0 && isfinite(o->fwhm)))
		return WSI_FAIL(WS_E_ARG, "the width at half maximum must be above 0 s, not %g",
		                o->fwhm);
	return WS_OK;
}

static ws_status
check_choices(const ws_cwt_opts *o)
{
	if (o->norm < WS_NORM_L1 || o->norm > WS_NORM_TC)
		return WSI_FAIL(WS_E_ARG, "there is no norm %d", (int)o->norm);
	if (o->padding < WS_PADDING_REFLECT || o->padding > WS_PADDING_PERIODIC)
		return WSI_FAIL(WS_E_ARG, "there is no padding %d", (int)o->padding);
	if ((int)o->significance < 0 || o->significance > WS_SIGNIFICANCE_AR1)
		return WSI_FAIL(WS_E_ARG, "there is no noise %d", (int)o->significance);
	if (quantity_array(o->quantity) < 0 && o->quantity != WS_QUANTITY_SIGNAL)
		return WSI_FAIL(WS_E_ARG, "there is no quantity %d", (int)o->quantity);
	if (o->freqs.spacing < WS_SPACING_LOG || o->freqs.spacing > WS_SPACING_LINEAR)
		return WSI_FAIL(WS_E_ARG, "there is no spacing %d", (int)o->freqs.spacing);
	return WS_OK;
}

ws_status
wsi_cwt_check_decimate(size_t every, size_t samples)
{
	return every <= samples ? WS_OK
	       : WSI_FAIL(WS_E_ARG, "every %zu-th of %zu samples is none but the first: decimate "
	                  "by less", every, samples);
}

ws_status
wsi_cwt_resolve(ws_cwt_opts *o, size_t samples)
{
	const wsi_cwt_reference *reference = wsi_cwt_reference_row((int)o->reference);
	if (!reference)
		return WSI_FAIL(WS_E_ARG, "there is no reference %d", (int)o->reference);
	const ws_cwt_opts *d = &reference->o;
	WSI_TRY(check_width_once(o, d));
	if (!o->wavelet || o->wavelet == d->wavelet || reference->tap_count) {
		OR(param[0]);
		OR(param[1]);
	}
	OR(wavelet);
	OR(norm);
	OR(padding);
	OR(voices);
	o->quantity = o->quantity ? o->quantity : WS_QUANTITY_COMPLEX;
	o->freqs.spacing = o->freqs.spacing ? o->freqs.spacing : WS_SPACING_LOG;
	o->decimate = o->decimate ? o->decimate : 1;
	if (o->octave_arrays != 0 && o->octave_arrays != 1)
		return WSI_FAIL(WS_E_ARG, "`octave_arrays` must be 0 or 1 (an array for each "
		                "octave), not %d", o->octave_arrays);
	if (o->reference == WS_CWT_REF_SSQUEEZEPY && o->wavelet == WS_WAVELET_MORLET_ZERO_MEAN &&
	    !o->param[0])
		o->param[0] = SSQUEEZEPY_OMEGA0;
	if (reference->tap_count && o->wavelet > WS_WAVELET_MORLET_ZERO_MEAN)
		return WSI_FAIL(WS_E_ARG, "the reference %s has Morlet wavelets only: leave the "
		                "wavelet out", wsi_cwt_reference_name(o->reference));
	WSI_TRY(check_choices(o));
	o->level = o->level != 0.0 ? o->level : o->significance ? 0.95 : 0.0;
	if (o->significance && !(o->level > 0.0 && o->level < 1.0))
		return WSI_FAIL(WS_E_ARG, "the level of significance must be between 0 and 1, such "
		                "as 0.95, not %g", o->level);
	if (o->significance && !(o->lag1 > -1.0 && o->lag1 < 1.0))
		return WSI_FAIL(WS_E_ARG, "the noise's correlation at lag 1 must be above -1 and "
		                "below 1, not %g", o->lag1);
	if (o->lag1 != 0.0 && o->significance != WS_SIGNIFICANCE_AR1)
		return WSI_FAIL(WS_E_ARG, "`lag1` is of `significance ar1`: leave it 0");
	if (!o->baseline && (o->baseline_from != 0.0 || o->baseline_to != 0.0))
		return WSI_FAIL(WS_E_ARG, "`baseline_from` and `baseline_to` need `baseline`, how "
		                "powers are compared");
	WSI_TRY(wsi_cwt_check_decimate(o->decimate, samples));
	return check_width(o);
}
