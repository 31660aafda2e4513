/* params.c - defaults, references and checks of the options. */
#include "transform/emd/emd.h"

#include <math.h>

#include "base/status.h"
#include "math/decibel.h"

/* What a reference sets where the caller did not. */
typedef struct reference {
	ws_emd_opts o;          /* zero: not set */
	unsigned methods;       /* bit m: method m exists there */
} reference;

#define METHOD(m) (1u << (m))

/* The references' own bound for the modes of noise by Rilling's rule. */
enum { MOST_SIFTS_OF_NOISE = 2000 };

static const reference references[] = {
	[WS_REF_RILLING] = {
		{ .method = WS_METHOD_EMD, .boundary = WS_BOUNDARY_MIRROR,
			.spline = WS_SPLINE_NOT_A_KNOT,
		  .stop_rule = WS_STOP_RILLING, .max_sifts = 2000 },
		METHOD(WS_METHOD_EMD) | METHOD(WS_METHOD_EEMD) },
	[WS_REF_COLOMINAS] = {
		{ .method = WS_METHOD_ICEEMDAN, .boundary = WS_BOUNDARY_MIRROR,
		  .spline = WS_SPLINE_NOT_A_KNOT, .stop_rule = WS_STOP_RILLING, .max_sifts = 2000,
		  .realizations = 100, .noise = 0.2, .snr = WS_SNR_INCREASING },
		METHOD(WS_METHOD_ICEEMDAN) },
	[WS_REF_TORRES] = {
		{ .method = WS_METHOD_CEEMDAN, .boundary = WS_BOUNDARY_MIRROR,
		  .spline = WS_SPLINE_NOT_A_KNOT, .stop_rule = WS_STOP_RILLING, .max_sifts = 2000,
		  .realizations = 500, .noise = 0.2, .snr = WS_SNR_CONSTANT },
		METHOD(WS_METHOD_CEEMDAN) },
	[WS_REF_LIBEEMD] = {
		{ .method = WS_METHOD_EMD, .boundary = WS_BOUNDARY_EXTRAPOLATE,
		  .spline = WS_SPLINE_NOT_A_KNOT, .stop_rule = WS_STOP_S_NUMBER,
		  .stop_rule_param = { 4.0 },
		  .max_sifts = 50, .realizations = 250, .noise = 0.2, .snr = WS_SNR_CONSTANT },
		METHOD(WS_METHOD_EMD) | METHOD(WS_METHOD_EEMD) | METHOD(WS_METHOD_CEEMDAN) },
	[WS_REF_CEEMDAN_GPU] = {
		{ .method = WS_METHOD_ICEEMDAN, .boundary = WS_BOUNDARY_SLOPE,
			.spline = WS_SPLINE_NATURAL,
		  .stop_rule = WS_STOP_RILLING, .max_sifts = 9, .realizations = 100, .noise = 0.2,
		  .snr = WS_SNR_INCREASING },
		METHOD(WS_METHOD_ICEEMDAN) },
	[WS_REF_MEMD] = {
		{ .method = WS_METHOD_MEMD, .boundary = WS_BOUNDARY_MIRROR,
			.spline = WS_SPLINE_NOT_A_KNOT,
		  .stop_rule = WS_STOP_RILLING, .stop_rule_param = { 0.075, 0.75, 0.075 },
		  .max_sifts = 1000, .directions = 64, .direction_set = WS_DIRECTIONS_HAMMERSLEY },
		METHOD(WS_METHOD_MEMD) },
	[WS_REF_MEMD_GPU] = {
		{ .method = WS_METHOD_MEMD, .boundary = WS_BOUNDARY_SLOPE,
			.spline = WS_SPLINE_NATURAL,
		  .stop_rule = WS_STOP_FIXED, .sifts = 10, .directions = 64,
		  .direction_set = WS_DIRECTIONS_HAMMERSLEY },
		METHOD(WS_METHOD_MEMD) },
};

/* Copies b's fields into a where a has its zero. */
#define OR(field) o->field = o->field ? o->field : b->field

static void
fill_from(ws_emd_opts *o, const ws_emd_opts *b)
{
	OR(method);
	OR(boundary);
	OR(spline);
	/* A rule's bound and parameters go with the rule. */
	if (!o->stop_rule && !o->sifts) {
		o->stop_rule = b->stop_rule;
		for (int i = 0; i < 3; ++i)
			OR(stop_rule_param[i]);
		o->sifts = b->sifts;
	}
	OR(max_sifts);
	OR(realizations);
	OR(noise);
	OR(snr);
	OR(channel_noise);
	OR(check_every);
	OR(directions);
	OR(direction_set);
	OR(noise_power);
}

static ws_status
check_ranges(const ws_emd_opts *o)
{
#define RANGE(field, low, high)                                                           \
	if ((int)o->field < (low) || (int)o->field > (high))                              \
		return WSI_FAIL(WS_E_ARG, "`" #field "`: %d is outside %d..%d", (int)o->field, \
		                (int)(low), (int)(high))
	RANGE(method, 0, WS_METHOD_MEMD);
	RANGE(reference, 0, WS_REF_MEMD_GPU);
	RANGE(boundary, 0, WS_BOUNDARY_PERIODIC);
	RANGE(spline, 0, WS_SPLINE_AKIMA);
	if (o->stop_rule && !wsi_stop_row_of(o->stop_rule))
		return WSI_FAIL(WS_E_ARG, "`stop_rule`: there is no %d", (int)o->stop_rule);
	RANGE(snr, 0, WS_SNR_CONSTANT);
	RANGE(channel_noise, 0, WS_NOISE_INDEPENDENT);
	RANGE(sifts, 0, WSI_MOST_SIFTS);
	RANGE(max_sifts, 0, WSI_MOST_SIFTS);
	RANGE(check_every, 0, WSI_MOST_SIFTS);
	RANGE(modes, 0, WSI_EMD_MODES);
	RANGE(realizations, 0, WSI_MOST_REALIZATIONS);
	RANGE(directions, 0, WSI_MOST_DIRECTIONS);
	RANGE(direction_set, 0, WS_DIRECTIONS_GIVEN);
	RANGE(noise_channels, 0, WSI_MOST_NOISE_CHANNELS);
#undef RANGE
	if (!isfinite(o->noise_power) || o->noise_power < 0.0 || o->noise_power > 1e6)
		return WSI_FAIL(WS_E_ARG, "`noise_power`: %g is not a share of the channels' power",
		                o->noise_power);
	if (!isfinite(o->noise) || o->noise > 1e6)
		return WSI_FAIL(WS_E_ARG, "`noise`: %g is not a finite share of the signal's std",
		                o->noise);
	for (int i = 0; i < 3; ++i)
		if (!isfinite(o->stop_rule_param[i]) || o->stop_rule_param[i] < 0.0)
			return WSI_FAIL(WS_E_ARG, "`stop_rule`: parameter %d is %g; it "
			                "must be positive", i + 1, o->stop_rule_param[i]);
	if (o->sifts && o->stop_rule && o->stop_rule != WS_STOP_FIXED)
		return WSI_FAIL(WS_E_ARG, "sifts and a stop rule exclude each other: "
		                "sifts %d makes exactly that many", o->sifts);
	return WS_OK;
}

double
wsi_stop_default(const ws_emd_opts *o, int i)
{
	static const double memd_rilling[3] = { 0.075, 0.75, 0.075 };
	const bool joint = o->method == WS_METHOD_MEMD && o->stop_rule == WS_STOP_RILLING;
	return joint ? memd_rilling[i] : wsi_stop_row_of(o->stop_rule)->defaults[i];
}

int
wsi_stop_most(ws_stop stop)
{
	return stop == WS_STOP_TOLERANCE ? 100 : 1000;
}

/* Parameters of the stop rule as math/stop.h wants them, and their defaults. */
static ws_status
resolve_stop(wsi_params *p)
{
	ws_emd_opts *o = &p->o;
	const wsi_stop_row *row = wsi_stop_row_of(o->stop_rule);
	const bool ends = o->stop_rule == WS_STOP_TOLERANCE &&
		(o->method == WS_METHOD_EMD || o->method == WS_METHOD_MEMD);
	const int n = o->stop_rule == WS_STOP_FIXED ? 0
		: o->stop_rule == WS_STOP_TOLERANCE && !ends ? 1 : row->params;
	for (int i = n; i < 3; ++i)
		if (o->stop_rule_param[i] != 0.0)
			return WSI_FAIL(WS_E_ARG, "`stop_rule_param[%d]` is %g, but rule %s has %d "
			                "parameters%s: leave it 0", i, o->stop_rule_param[i],
			                WSI_EMD_NAME(o, stop_rule), n,
			                o->stop_rule == WS_STOP_TOLERANCE ? " in ensembles" : "");
	if (o->stop_rule == WS_STOP_FIXED) {
		o->max_sifts = o->sifts;
		return WS_OK;
	}
	for (int i = 0; i < n; ++i) {
		if (o->stop_rule_param[i] == 0.0)
			o->stop_rule_param[i] = wsi_stop_default(o, i);
		p->stop[i] = o->stop_rule_param[i];
	}
	if (row->counts && p->stop[0] > 1e6)
		return WSI_FAIL(WS_E_ARG, "`stop_rule`: parameter 1 is %g; it counts sifts, "
		                "1000000 at most", p->stop[0]);
	if (o->stop_rule == WS_STOP_ENERGY)
		p->stop[1] = decibel_ratio(o->stop_rule_param[0]);
	if (ends)
		p->max_energy_ratio = decibel_ratio(o->stop_rule_param[1]);
	if (!o->max_sifts)
		o->max_sifts = wsi_stop_most(o->stop_rule);
	return WS_OK;
}

static int
log2_floor(size_t n)
{
	int k = 0;
	while (n > 1) {
		n /= 2;
		++k;
	}
	return k;
}

static ws_status
resolve_modes(wsi_params *p)
{
	ws_emd_opts *o = &p->o;
	const int log2n = log2_floor(p->samples);
	if (o->reference == WS_REF_LIBEEMD) {
		/* Its rows include the residue, and there are always that many. */
		int rows = p->samples <= 3 ? 1 : log2n;
		o->modes = o->modes ? o->modes : rows - 1;
	} else if (!o->modes) {
		/* EMD halves the frequency from mode to mode, roughly: the bound leaves
		 * room for rules that halve it less.  What is beyond stays in the residue. */
		const bool rarely = o->method == WS_METHOD_EMD || o->method == WS_METHOD_MEMD ||
			p->ends_by_extrema;
		o->modes = rarely ? log2n + 8 : log2n;
	}
	return WS_OK;
}

ws_method
wsi_opts_method(const ws_emd_opts *o)
{
	if (!o)
		return WS_METHOD_EMD;
	if (o->method)
		return o->method;
	const bool known = o->reference > WS_REF_NONE && o->reference <= WS_REF_MEMD_GPU;
	return known ? references[o->reference].o.method : WS_METHOD_EMD;
}

/* Options that only multivariate EMD has, and those that it lacks. */
static ws_status
resolve_joint(wsi_params *p, const ws_shape *shape)
{
	ws_emd_opts *o = &p->o;
	p->together = 1;
	if (o->method != WS_METHOD_MEMD) {
		if (!wsi_stop_row_of(o->stop_rule)->single)
			return WSI_FAIL(WS_E_ARG, "stop rule %s is of multivariate EMD only",
			                WSI_EMD_NAME(o, stop_rule));
		if (o->direction_vectors)
			return WSI_FAIL(WS_E_ARG, "`direction_vectors` are of multivariate EMD "
			                "only");
		return WS_OK;
	}
	const size_t channels = shape->recording_channels ? shape->recording_channels
		: shape->channels;
	if (channels > WSI_MOST_NOISE_CHANNELS)
		return WSI_FAIL(WS_E_ARG, "%zu channels together: there may be 65536 at most",
		                channels);
	if (o->spline != WS_SPLINE_NOT_A_KNOT && o->spline != WS_SPLINE_NATURAL)
		return WSI_FAIL(WS_E_ARG, "`spline`: multivariate EMD has not-a-knot and "
		                "natural only");
	if (!wsi_stop_row_of(o->stop_rule)->joint)
		return WSI_FAIL(WS_E_ARG, "`stop_rule`: multivariate EMD has no %s",
		                WSI_EMD_NAME(o, stop_rule));
	p->together = channels + (size_t)o->noise_channels;
	if (o->direction_vectors)
		o->direction_set = WS_DIRECTIONS_GIVEN;
	else if (o->direction_set == WS_DIRECTIONS_GIVEN)
		return WSI_FAIL(WS_E_ARG, "`direction_set`: the vectors are missing");
	if (o->direction_set == WS_DIRECTIONS_GIVEN && !o->directions)
		return WSI_FAIL(WS_E_ARG, "`direction_set`: how many vectors were given is "
		                "missing");
	if (!o->directions)
		o->directions = p->together > 32 ? 2 * (int)p->together : 64;
	/* All directions of a line are one. */
	if (p->together == 1 && o->direction_set != WS_DIRECTIONS_GIVEN)
		o->directions = 1;
	const bool memd = o->reference == WS_REF_MEMD;
	p->lower_middle = memd;
	p->vanishing = memd;
	p->plain_hammersley = o->reference == WS_REF_MEMD_GPU;
	p->min_each = o->reference == WS_REF_MEMD_GPU ? 2 : 1;
	return WS_OK;
}

/* Fills in what was not asked for: from the reference, then from the defaults. */
static ws_status
resolve_options(ws_emd_opts *o)
{
	if (o->reference) {
		const reference *ref = &references[o->reference];
		fill_from(o, &ref->o);
		if (!(ref->methods & METHOD(o->method)))
			return WSI_FAIL(WS_E_ARG, "reference %s does not have this method",
			                WSI_EMD_NAME(o, reference));
	}
	static const ws_emd_opts defaults = {
		.method = WS_METHOD_EMD, .boundary = WS_BOUNDARY_MIRROR,
			.spline = WS_SPLINE_NOT_A_KNOT,
		.stop_rule = WS_STOP_FIXED, .realizations = 100, .noise = 0.2,
		.snr = WS_SNR_INCREASING, .channel_noise = WS_NOISE_SHARED, .check_every = 1,
		.direction_set = WS_DIRECTIONS_SCRAMBLED, .noise_power = 0.05,
	};
	/* The rule with which these methods reach ceemdan.m's figures (docs/validation.md). */
	if (!o->stop_rule && !o->sifts && o->method != WS_METHOD_EMD && o->method &&
	    o->method != WS_METHOD_EEMD)
		o->stop_rule = WS_STOP_RILLING;
	fill_from(o, &defaults);
	if (o->sifts)
		o->stop_rule = WS_STOP_FIXED;
	else if (o->stop_rule == WS_STOP_FIXED)
		o->sifts = 10;
	o->noise = o->noise < 0.0 ? 0.0 : o->noise;
	if (o->method != WS_METHOD_EEMD)
		o->pairs = 0;
	if (o->pairs && (o->realizations & 1))
		return WSI_FAIL(WS_E_ARG, "pairs need an even number of realizations, not %d",
		                o->realizations);
	return WS_OK;
}

/* What options cannot express: the habits of references, and limits of the type. */
static void
set_traits(wsi_params *p)
{
	const ws_emd_opts *o = &p->o;
	const bool libeemd = o->reference == WS_REF_LIBEEMD;
	const bool gpu = o->reference == WS_REF_CEEMDAN_GPU;
	const bool torres = o->reference == WS_REF_TORRES;
	/* Smooth parts of a signal step by less than its last digits: what rounding
	 * makes of them is no oscillation. */
	p->resolution = o->reference ? 0.0 : p->type == WS_F64 ? 0x1p-50 : 0x1p-21;
	p->centred = !o->reference;
	p->plateaus = !gpu && o->reference != WS_REF_MEMD_GPU;
	p->lone_steps = !o->reference && p->type == WS_F32;
	p->half_ticks = !o->reference || libeemd;
	p->rule_at_once = o->reference != WS_REF_NONE;
	p->cyclic = o->boundary == WS_BOUNDARY_PERIODIC;
	p->min_extrema = libeemd ? 0 : 3;
	p->needs_both = o->boundary == WS_BOUNDARY_MIRROR || p->cyclic;
	p->tiny_range = p->type == WS_F64 ? 1e-10 : 1e-6;
	p->tiny_modes = o->reference != WS_REF_NONE;
	p->compare_crossings = !gpu;
	p->imf_ends = o->reference == WS_REF_COLOMINAS;
	p->noise_residue = !torres;
	p->noise_as_given = p->rest_is_mode = p->ends_by_extrema = torres;
}

ws_status
wsi_params_resolve(wsi_params *p, const ws_shape *shape, const ws_emd_opts *opts)
{
	*p = (wsi_params){ .samples = shape->samples, .type = shape->type };
	ws_emd_opts *o = &p->o;
	if (opts)
		*o = *opts;
	o->size = sizeof *o;
	o->tag = WS_TAG_EMD;
	WSI_TRY(check_ranges(o));
	WSI_TRY(resolve_options(o));
	set_traits(p);
	WSI_TRY(resolve_joint(p, shape));
	WSI_TRY(resolve_stop(p));
	p->noise_max_sifts = o->max_sifts;
	if (o->stop_rule == WS_STOP_RILLING && o->reference)
		p->noise_max_sifts = MOST_SIFTS_OF_NOISE;
	/* CEEMDAN-GPU keeps what it has at the last test, before it subtracts the mean. */
	if (o->reference == WS_REF_CEEMDAN_GPU && o->stop_rule == WS_STOP_RILLING)
		p->noise_max_sifts--;
	return resolve_modes(p);
}
