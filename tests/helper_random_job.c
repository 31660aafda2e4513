/* helper_random_job.c - see random_job.h. */
#include "random_job.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

void
print_job(const job *j, signal_kind kind)
{
	const ws_emd_opts *o = &j->o;
	printf("  %s %s, threads %d, %s, %zu x %zu of %s: method %d, reference %d, boundary %d, "
	       "spline %d, stop %d, sifts %d, max_sifts %d, check_every %d, max_modes %d, "
	       "realizations %d, pairs %d, noise %g, snr %d, seed %llu, channel noise %d, "
	       "together %zu, directions %d of set %d, %d noise channels of %g\n",
	       j->device ? j->device : "cpu", j->isa ? j->isa : "", j->threads,
	       j->shape.type == WS_F64 ? "f64" : "f32", j->shape.channels, j->shape.samples,
	       signal_name(kind), o->method, o->reference, o->boundary, o->spline, o->stop_rule,
	       o->sifts, o->max_sifts, o->check_every, o->modes, o->realizations,
	       o->pairs, o->noise, o->snr, (unsigned long long)o->seed, o->channel_noise,
	       j->shape.recording_channels, o->directions, o->direction_set, o->noise_channels,
	       	o->noise_power);
}

void *
random_signals(rng *r, const ws_shape *shape, signal_kind kind)
{
	const size_t n = shape->channels * shape->samples;
	double *d = need(n * sizeof *d);
	for (size_t c = 0; c < shape->channels; ++c)
		signal_make(c ? (signal_kind)rng_int(r, 0, SIGNAL_KINDS - 1) : kind, r, shape->samples,
		            d + c * shape->samples);
	void *x = need(n * type_size(shape->type));
	to_type(shape->type, d, n, x);
	free(d);
	return x;
}

/* What multivariate EMD has for what it has not. */
static void
joint_options(rng *r, ws_emd_opts *o)
{
	o->spline = (ws_spline)(o->spline % 3);
	if (o->stop_rule == WS_STOP_SD || o->stop_rule == WS_STOP_S_NUMBER)
		o->stop_rule = WS_STOP_FIX_H;
	if (o->reference)
		o->reference = o->reference % 2 ? WS_REF_MEMD : WS_REF_MEMD_GPU;
	o->directions = rng_int(r, 0, 4) ? rng_int(r, 1, 40) : rng_int(r, 41, 200);
	o->direction_set = (ws_direction_set)rng_int(r, 0, 3);
	o->noise_channels = rng_int(r, 0, 3) ? 0 : rng_int(r, 1, 3);
	o->noise_power = rng_int(r, 0, 1) ? 0.0 : 0.3;
}

ws_emd_opts
random_options(rng *r, ws_method method)
{
	ws_emd_opts o = {
		.method = method, .boundary = (ws_boundary)rng_int(r, 0, 4),
		.spline = (ws_spline)rng_int(r, 0, 4), .stop_rule = (ws_stop)rng_int(r, 0, 7),
		.max_sifts = rng_int(r, 1, 12), .check_every = rng_int(r, 1, 3),
		.modes = rng_int(r, 0, 2) ? 0 : rng_int(r, 1, 3),
		.realizations = 2 * rng_int(r, 1, 6), .pairs = rng_int(r, 0, 1),
		.noise = rng_int(r, 0, 4) ? 0.2 : -1.0, .snr = (ws_snr)rng_int(r, 0, 2),
		.seed = rng_next(r), .channel_noise = (ws_channel_noise)rng_int(r, 0, 2),
	};
	if (rng_int(r, 0, 3) == 0)
		o.reference = (ws_reference)rng_int(r, 1, 5);
	if (rng_int(r, 0, 9) == 0)
		o.realizations = 70; /* more than a chunk, more than two blocks of 32 */
	if (o.stop_rule == 0 || o.stop_rule == WS_STOP_FIXED)
		o.sifts = rng_int(r, 1, 10);
	if (method == WS_METHOD_MEMD)
		joint_options(r, &o);
	return o;
}

job
random_job(rng *r, ws_method method, int i, signal_kind *kind)
{
	*kind = (signal_kind)(i % SIGNAL_KINDS);
	job j = {
		.shape = { .channels = (size_t)rng_int(r, 1, 3),
		           .samples = (size_t)rng_int(r, 1, i % 4 ? 400 : 1500),
		           .type = (ws_type)(i & 1) },
		.o = random_options(r, method), .first_channel = (size_t)rng_int(r, 0, 5),
	};
	if (method == WS_METHOD_MEMD) {
		j.shape.recording_channels = (size_t)(rng_int(r, 0, 5) ? rng_int(r, 1,
		                                                                 6) : rng_int(r, 7,
										              20));
		j.shape.channels = j.shape.recording_channels * (size_t)(rng_int(r, 0, 3) ? 1 : 2);
		/* All modes of many channels take a sanitizer half a minute. */
		if (SANITIZED) {
			j.o.modes = j.o.modes ? j.o.modes : 2;
			j.shape.samples = 1 + j.shape.samples / 4;
		}
	}
	j.x = random_signals(r, &j.shape, *kind);
	if (method != WS_METHOD_EMD && rng_int(r, 0, 4) == 0) {
		ws_shape rows = j.shape;
		rows.channels = j.o.realizations > 0 ? (size_t)j.o.realizations : 100;
		j.noise = random_signals(r, &rows, SIGNAL_WHITE);
	}
	return j;
}

void
random_job_free(job *j)
{
	free((void *)j->x);
	free((void *)j->noise);
}

bool
same_everywhere(job *j, signal_kind kind, rng *r, bool *valid)
{
	result want, got;
	j->isa = "ref";
	j->threads = 1;
	j->fill = 0xa5;
	ws_status status = decompose(j, &want);
	*valid = status == WS_OK;
	if (status == WS_E_ARG)
		return true;
	bool ok = status == WS_OK;
	const char *isa;
	for (int i = 1; ok && (isa = isa_to_test(i)); ++i) {
		j->isa = isa;
		j->threads = i == 1 ? 4 : rng_int(r, 1, 4);
		j->fill = 0x5a;
		must_decompose(j, &got);
		ok = same_result(&want, &got);
		result_free(&got);
	}
	/* The reference table again, where threads cut the signal for it. */
	if (ok && rng_int(r, 0, 7) == 0) {
		j->isa = "ref";
		j->threads = rng_int(r, 2, 4);
		must_decompose(j, &got);
		ok = same_result(&want, &got);
		result_free(&got);
	}
	if (!ok)
		print_job(j, kind);
	result_free(&want);
	return ok;
}

/* ---- Against a GPU ------------------------------------------------------------ */

int
gpu_or_skip(void)
{
	ws_device d = { .size = sizeof d };
	if (ws_device_info(0, &d) != WS_OK || !d.usable) {
		printf("SKIPPED: no GPU (%s)\n", *d.why ? d.why : ws_error_detail());
		return 77;
	}
	printf("%s: %s, %s\n", d.name, d.model, d.detail);
	return 0;
}

void
compare_with_gpu(job *j, signal_kind kind, int *compared, int *differ)
{
	result want, got;
	j->device = "cpu";
	j->fill = 0xa5;
	ws_status status = decompose(j, &want);
	if (status == WS_E_ARG)
		return;
	assert_int_equal(status, WS_OK);
	++*compared;
	for (int again = 0; again < 2; ++again) {
		j->device = "cuda";
		j->fill = 0x5a;
		status = decompose(j, &got);
		if (status != WS_OK)
			printf("  %s\n", ws_error_detail());
		if (status != WS_OK || !same_result(&want, &got)) {
			++*differ;
			print_job(j, kind);
			again = 1;
		}
		result_free(&got);
	}
	result_free(&want);
}
