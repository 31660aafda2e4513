/* bands_run.c - signals and variance of bands of frequencies: of samples, and of coefficients
 * (ws_cwt_inverse()). */
#include "transform/cwt/bands_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/call.h"
#include "base/element.h"
#include "base/status.h"
#include "transform/on_gpu.h"

/* ---- Memory ------------------------------------------------------------------------------- */

static wsi_bands_own
take_line_parts(const wsi_even_line *line, wsi_arena *arena)
{
	wsi_bands_own own = { .rest = wsi_arena_take(arena, wsi_even_line_scratch(line)) };
	if (own.rest) {
		own.y_re = own.z_re = wsi_even_line_room(line, own.rest);
		own.y_im = own.z_im = own.z_re + (line->n + 7) / 8 * 8;
	}
	return own;
}

wsi_bands_own
wsi_bands_take_own(const wsi_bands_plan *plan, wsi_arena *arena)
{
	const size_t n = plan->family.cwt->length * sizeof(double);
	const size_t outputs = plan->family.cwt->outputs * sizeof(double);
	if (plan->o.quantity == WS_QUANTITY_POWER)
		return (wsi_bands_own){ .row = wsi_arena_take(arena, outputs),
			.sum = wsi_arena_take(arena, outputs) };
	if (plan->line.n)
		return take_line_parts(&plan->line, arena);
	wsi_bands_own own = { .y_re = wsi_arena_take(arena, n) };
	own.y_im = wsi_arena_take(arena, n);
	own.z_re = wsi_arena_take(arena, n);
	own.z_im = wsi_arena_take(arena, n);
	own.rest = wsi_arena_take(arena, wsi_dft_scratch(&plan->family.cwt->dft));
	return own;
}

size_t
wsi_bands_line_bytes(const wsi_bands_plan *plan)
{
	const size_t bytes = plan->line.harmonics * sizeof(double);
	return WSI_ALIGN + (bytes + WSI_ALIGN - 1) / WSI_ALIGN * WSI_ALIGN;
}

/* ---- Bands of spectra --------------------------------------------------------------------- */

typedef struct shared {
	const wsi_bands_plan *plan;
	const wsi_io *io;
	const char *spectra;
	char *lines;            /* [channel] wsi_bands_line_bytes() */
} shared;

/* A bin stands for two but at either end of the spectrum. */
static double
sides(const wsi_cwt *cwt, size_t k)
{
	return k == 0 || 2 * k == cwt->length ? 1.0 : 2.0;
}

/* Of all samples of x those that are wanted. */
static void
put_outputs(const wsi_bands_plan *plan, double factor, const double *z, void *out)
{
	const ws_type type = plan->family.cwt->type;
	for (size_t t = 0; t < plan->outputs; ++t)
		wsi_real_put(out, type, t, factor * z[plan->first + t * plan->o.decimate]);
}

static void
filter_band(const shared *j, const void *spectrum, const wsi_band *band, const wsi_bands_own *own,
            void *out)
{
	const wsi_cwt *cwt = j->plan->family.cwt;
	const void *re, *im;
	double scale;
	wsi_cwt_spectrum(cwt, spectrum, &re, &im, &scale);
	memset(own->y_re, 0, cwt->length * sizeof(double));
	memset(own->y_im, 0, cwt->length * sizeof(double));
	for (size_t k = band->k0; k < band->k1; ++k) {
		const double g = band->gain[k - band->k0] * sides(cwt, k);
		own->y_re[k] = g * wsi_real_at(re, cwt->type, k);
		own->y_im[k] = g * wsi_real_at(im, cwt->type, k);
	}
	wsi_dft_inverse(&cwt->dft, own->y_re, own->y_im, own->z_re, own->z_im, own->rest);
	put_outputs(j->plan, scale, own->z_re, out);
}

/* ---- Between mirror images --------------------------------------------------------------- */

/* The largest magnitude, by its bits, which are in the order of the numbers; false where one is not
 * finite. */
static bool
find_most(const void *x, ws_type type, size_t n, double *most)
{
	int64_t wide = 0;
	int32_t narrow = 0;
	for (size_t t = 0; type == WS_F64 && t < n; ++t) {
		int64_t bits;
		memcpy(&bits, (const double *)x + t, sizeof bits);
		bits &= INT64_MAX;
		wide = bits > wide ? bits : wide;
	}
	for (size_t t = 0; type == WS_F32 && t < n; ++t) {
		int32_t bits;
		memcpy(&bits, (const float *)x + t, sizeof bits);
		bits &= INT32_MAX;
		narrow = bits > narrow ? bits : narrow;
	}
	float single;
	memcpy(&single, &narrow, sizeof single);
	memcpy(most, &wide, sizeof *most);
	*most = type == WS_F64 ? *most : (double)single;
	return isfinite(*most);
}

static void
scale_samples(const void *x, ws_type type, size_t n, double scale, double *restrict out)
{
	for (size_t t = 0; type == WS_F64 && t < n; ++t)
		out[t] = ((const double *)x)[t] * scale;
	for (size_t t = 0; type == WS_F32 && t < n; ++t)
		out[t] = (double)((const float *)x)[t] * scale;
}

/* Harmonics of a channel, its offset and a power of two taken off; those of a sample that is not
 * finite are none, and their factor is not a number. */
static void
take_line(void *user, size_t c, wsi_cwt_scratch *scratch, void *memory)
{
	const shared *j = user;
	const wsi_bands_plan *plan = j->plan;
	const wsi_cwt *cwt = plan->family.cwt;
	const char *x = j->io->x + c * j->io->x_stride;
	double *factor = (double *)(j->lines + c * wsi_bands_line_bytes(plan)), most = 0.0,
	        offset = 0.0;
	double *harmonics = factor + WSI_ALIGN / sizeof *factor;
	wsi_arena arena = { .base = memory };
	const wsi_bands_own own = wsi_bands_take_own(plan, &arena);
	int exponent;
	(void)scratch;
	*factor = NAN;
	if (!find_most(x, cwt->type, cwt->samples, &most))
		return;
	frexp(most, &exponent);
	exponent = exponent > 1000 ? 1000 : exponent < -1000 ? -1000 : exponent;
	const double scale = ldexp(1.0, -exponent);
	scale_samples(x, cwt->type, cwt->samples, scale, own.z_re);
	for (size_t t = 0; t < cwt->samples; ++t)
		offset += own.z_re[t] - own.z_re[0];
	offset = cwt->centred ? own.z_re[0] + offset / (double)cwt->samples : 0.0;
	for (size_t t = 0; t < cwt->samples; ++t)
		own.z_re[t] -= offset;
	wsi_even_line_forward(&plan->line, own.z_re, harmonics, own.rest);
	*factor = ldexp(1.0, exponent);
}

static void
filter_harmonics(const wsi_bands_plan *plan, const double *harmonics, const wsi_band *band,
                 double *y)
{
	memset(y, 0, plan->line.harmonics * sizeof *y);
	for (size_t k = band->k0; k < band->k1; ++k)
		y[k] = band->gain[k - band->k0] * harmonics[k];
}

/* Rows of bands, of all channels. */
static size_t
rows_of(const wsi_bands_plan *plan)
{
	return plan->family.base.shape.channels * plan->inverse.bands;
}

/* Harmonics of a row; gives what its samples are to be multiplied by. */
static double
take_row(const shared *j, size_t row, double *y)
{
	const wsi_bands_plan *plan = j->plan;
	const size_t c = row / plan->inverse.bands, b = row % plan->inverse.bands;
	const double *factor = (const double *)(j->lines + c * wsi_bands_line_bytes(plan));
	filter_harmonics(plan, factor + WSI_ALIGN / sizeof *factor, &plan->inverse.band[b], y);
	return *factor;
}

static void
put_row(const shared *j, size_t row, double factor, const double *z)
{
	const size_t bands = j->plan->inverse.bands;
	put_outputs(j->plan, factor, z,
	            wsi_io_row(j->io, WS_BANDS_BANDS, row / bands, row % bands));
}

/* Two rows, or the last one. */
static void
filter_rows(void *user, size_t item, wsi_cwt_scratch *scratch, void *memory)
{
	const shared *j = user;
	const wsi_bands_plan *plan = j->plan;
	const size_t row = 2 * item;
	const bool two = row + 1 < rows_of(plan);
	wsi_arena arena = { .base = memory };
	const wsi_bands_own own = wsi_bands_take_own(plan, &arena);
	(void)scratch;
	const double first = take_row(j, row, own.y_re);
	const double second = two ? take_row(j, row + 1, own.y_im) : 0.0;
	wsi_even_line_back(&plan->line, own.y_re, two ? own.y_im : NULL, own.z_re,
	                   two ? own.z_im : NULL, own.rest);
	put_row(j, row, first, own.z_re);
	if (two)
		put_row(j, row + 1, second, own.z_im);
}

/* ---- Power ------------------------------------------------------------------------------- */

/* Frequencies in the order of the plan. */
static void
add_power(const shared *j, const void *spectrum, const wsi_band *band, const wsi_bands_own *own,
          wsi_cwt_scratch *scratch, void *out)
{
	const wsi_cwt *cwt = j->plan->family.cwt;
	const wsi_inverse *v = &j->plan->inverse;
	const size_t outputs = j->plan->outputs, step = j->plan->o.decimate / cwt->o.decimate;
	const size_t t0 = j->plan->first / cwt->o.decimate, t1 = t0 + (outputs - 1) * step + 1;
	memset(own->sum, 0, outputs * sizeof(double));
	for (size_t i = 0; i < band->count && wsi_cwt_goes_on(scratch); ++i) {
		const wsi_band_member *m = &v->member[band->first + i];
		const size_t f = m->frequency;
		const double weight = m->share * v->energy[f];
		/* Frequencies that are the same share none. */
		if (weight == 0.0)
			continue;
		if (step == 1) {
			wsi_cwt_add_power(cwt, spectrum, f, weight, t0, t1, own->sum, scratch);
			continue;
		}
		wsi_cwt_one(cwt, spectrum, f, WS_QUANTITY_POWER, false, t0, t1, own->row, scratch);
		for (size_t t = 0; t < outputs; ++t)
			own->sum[t] += weight * wsi_real_at(own->row, cwt->type, t * step);
	}
	for (size_t t = 0; t < outputs; ++t)
		wsi_real_put(out, cwt->type, t, own->sum[t]);
}

static void
work(void *user, size_t item, wsi_cwt_scratch *scratch, void *memory)
{
	const shared *j = user;
	const wsi_bands_plan *plan = j->plan;
	const size_t c = item / plan->inverse.bands, b = item % plan->inverse.bands;
	wsi_arena arena = { .base = memory };
	const wsi_bands_own own = wsi_bands_take_own(plan, &arena);
	const char *spectrum = j->spectra + c * wsi_cwt_spectrum_bytes(plan->family.cwt);
	if (plan->o.quantity == WS_QUANTITY_POWER)
		add_power(j, spectrum, &plan->inverse.band[b], &own, scratch,
		          wsi_io_row(j->io, WS_BANDS_POWER, c, b));
	else
		filter_band(j, spectrum, &plan->inverse.band[b], &own,
		            wsi_io_row(j->io, WS_BANDS_BANDS, c, b));
}

static void
put_bands(const wsi_bands_plan *plan, const wsi_io *io)
{
	for (size_t b = 0; b < plan->inverse.bands; ++b) {
		const wsi_band *band = &plan->inverse.band[b];
		const double values[] = { band->low, band->high, band->flat_low, band->flat_high,
			band->error };
		const int n = plan->o.quantity == WS_QUANTITY_POWER ? 2 : 5;
		for (int k = 0; k < n; ++k)
			if (wsi_io_wants(io, WS_BANDS_LOW + k))
				((double *)io->arrays[WS_BANDS_LOW + k].data)[b] = values[k];
	}
}

/* Takes all channels, makes the items and stops the threads. */
static ws_status
run_lines(const wsi_cwt_execution *e, shared *j)
{
	const wsi_bands_plan *plan = j->plan;
	const size_t channels = plan->family.base.shape.channels;
	const wsi_cwt_work take = { .items = channels, .own_bytes = plan->family.own_bytes,
		.item = take_line, .user = j };
	const wsi_cwt_work items = { .items = (rows_of(plan) + 1) / 2,
		.own_bytes = plan->family.own_bytes, .item = filter_rows, .user = j };
	const double share = (double)channels / (double)(channels + items.items);
	ws_status status = WS_OK;
	wsi_progress_step(e->progress, 0.0, share);
	wsi_cwt_items(plan->family.cwt, &take, e->pool, e->progress, e->scratch);
	for (size_t c = 0; c < channels && status == WS_OK && !wsi_cancelled(e->progress); ++c)
		if (isnan(*(const double *)(j->lines + c * wsi_bands_line_bytes(plan))))
			status = wsi_cwt_refuse(e, c, plan->family.cwt->samples);
	wsi_progress_step(e->progress, share, 1.0);
	if (status == WS_OK && !wsi_cancelled(e->progress))
		wsi_cwt_items(plan->family.cwt, &items, e->pool, e->progress, e->scratch);
	wsi_pool_stop(e->pool);
	return status;
}

ws_status
wsi_bands_run(const ws_plan *base, const wsi_io *io, wsi_progress *progress, void *workspace)
{
	const wsi_bands_plan *plan = wsi_bands_plan_of(base);
	wsi_pool pool;
	put_bands(plan, io);
	if (base->gpu)
		return wsi_gpu_run(base, &plan->family.job, io, progress);
	const wsi_cwt_execution e = wsi_cwt_begin(base, io, progress, workspace, &pool);
	shared j = { plan, io, e.spectra, e.shared };
	const wsi_cwt_work items = { .items = base->shape.channels * plan->inverse.bands,
		.own_bytes = plan->family.own_bytes, .item = work, .user = &j };
	return plan->line.n ? run_lines(&e, &j) : wsi_cwt_finish(&e, &items);
}

/* ---- Coefficients in hand ------------------------------------------------------------------ */

/* y += weight Re W */
static void
add_real(const wsi_bands_plan *plan, const char *coefficients, const wsi_band_member *m, double *y)
{
	const size_t f = m->frequency;
	const double weight = m->share * plan->inverse.weight[f];
	const wsi_cwt *cwt = plan->family.cwt;
	const char *row = coefficients + 2 * f * cwt->samples * cwt->ops->element;
	for (size_t t = 0; t < cwt->samples; ++t)
		y[t] += weight * wsi_real_at(row, cwt->type, 2 * t);
}

static void
invert_band(const wsi_bands_plan *plan, const char *coefficients, const wsi_band *band, double *y,
            const wsi_bands_own *own, void *out)
{
	const wsi_cwt *cwt = plan->family.cwt;
	wsi_cwt of_doubles = *cwt;
	of_doubles.type = WS_F64;
	memset(y, 0, cwt->samples * sizeof *y);
	for (size_t i = 0; i < band->count; ++i)
		add_real(plan, coefficients, &plan->inverse.member[band->first + i], y);
	if (plan->line.n) {
		wsi_even_line_forward(&plan->line, y, own->y_re, own->rest);
		for (size_t k = 0; k < plan->line.harmonics; ++k)
			own->y_re[k] /= plan->inverse.divisor[k] * (double)plan->line.period;
		wsi_even_line_back(&plan->line, own->y_re, NULL, own->z_re, NULL, own->rest);
		for (size_t t = 0; t < cwt->samples; ++t)
			wsi_real_put(out, cwt->type, t, own->z_re[t]);
		return;
	}
	wsi_cwt_pad(&of_doubles, y, 0, 0.0, own->y_re, own->y_im);
	wsi_dft_forward(&cwt->dft, own->y_re, own->y_im, own->rest);
	for (size_t k = 0; k < cwt->length; ++k) {
		const bool there = k <= cwt->length / 2;
		const double share = there ? sides(cwt, k) /
			(plan->inverse.divisor[k] * (double)cwt->length) : 0.0;
		own->y_re[k] = there ? own->y_re[k] * share : 0.0;
		own->y_im[k] = there ? own->y_im[k] * share : 0.0;
	}
	wsi_dft_inverse(&cwt->dft, own->y_re, own->y_im, own->z_re, own->z_im, own->rest);
	for (size_t t = 0; t < cwt->samples; ++t)
		wsi_real_put(out, cwt->type, t, own->z_re[t]);
}

static ws_status
inverse(const wsi_bands_plan *plan, const char *coefficients, char *x)
{
	const wsi_cwt *cwt = plan->family.cwt;
	if (plan->o.quantity != WS_QUANTITY_SIGNAL || plan->outputs != cwt->samples)
		return WSI_FAIL(WS_E_ARG, "ws_cwt_inverse: the plan must be of signals, every "
		                "sample of them");
	if (plan->o.padding == WS_PADDING_ZERO)
		return WSI_FAIL(WS_E_ARG, "ws_cwt_inverse: coefficients of a signal between zeros "
		                "go on beyond its ends: take another padding");
	wsi_arena size = { 0 };
	wsi_arena_take(&size, cwt->samples * sizeof(double));
	wsi_bands_take_own(plan, &size);
	wsi_arena arena = { .base = aligned_alloc(WSI_ALIGN, size.used) };
	if (!arena.base)
		return WSI_FAIL(WS_E_NOMEM, "ws_cwt_inverse: no memory for %zu samples",
		                cwt->length);
	double *y = wsi_arena_take(&arena, cwt->samples * sizeof *y);
	const wsi_bands_own own = wsi_bands_take_own(plan, &arena);
	for (size_t b = 0; b < plan->inverse.bands; ++b)
		invert_band(plan, coefficients, &plan->inverse.band[b], y, &own,
		            x + b * cwt->samples * cwt->ops->element);
	free(arena.base);
	return WS_OK;
}

ws_status
ws_cwt_inverse(const ws_plan *bands, const void *coefficients, void *x)
{
	if (!bands || !coefficients || !x || bands->transform != &wsi_transform_bands)
		return WSI_FAIL(WS_E_ARG, "ws_cwt_inverse: a plan of \"bands\", coefficients and x "
		                "must be given");
	wsi_call call;
	wsi_call_enter(&call);
	const ws_status status = inverse(wsi_bands_plan_of(bands), coefficients, x);
	return wsi_call_leave(&call, status);
}
