/* helper_random_job.c - see random_job.h. */
#include "random_job.h"

#include <stdio.h>
#include <stdlib.h>

void
print_job(const job *j, signal_kind kind)
{
	const ws_emd_opts *o = &j->o;
	printf("  %s %s, threads %d, %s, %zu x %zu of %s: method %d, reference %d, boundary %d, "
	       "spline %d, stop %d, sifts %d, max_sifts %d, check_every %d, max_modes %d, "
	       "realizations %d, pairs %d, noise %g, snr %d, seed %llu, channel noise %d\n",
	       j->device ? j->device : "cpu", j->isa ? j->isa : "", j->threads, j->shape.type == WS_F64 ? "f64" : "f32", j->shape.channels,
	       j->shape.samples, signal_name(kind), o->method, o->reference, o->boundary, o->spline,
	       o->stop, o->sifts, o->max_sifts, o->check_every, o->max_modes, o->realizations,
	       o->pairs, o->noise, o->snr, (unsigned long long)o->seed, o->channel_noise);
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

ws_emd_opts
random_options(rng *r, ws_method method)
{
	ws_emd_opts o = {
		.method = method, .boundary = (ws_boundary)rng_int(r, 0, 4),
		.spline = (ws_spline)rng_int(r, 0, 4), .stop = (ws_stop)rng_int(r, 0, 7),
		.max_sifts = rng_int(r, 1, 12), .check_every = rng_int(r, 1, 3),
		.max_modes = rng_int(r, 0, 2) ? 0 : rng_int(r, 1, 3),
		.realizations = 2 * rng_int(r, 1, 6), .pairs = rng_int(r, 0, 1),
		.noise = rng_int(r, 0, 4) ? 0.2 : -1.0, .snr = (ws_snr)rng_int(r, 0, 2),
		.seed = rng_next(r), .channel_noise = (ws_channel_noise)rng_int(r, 0, 2),
	};
	if (rng_int(r, 0, 3) == 0)
		o.reference = (ws_reference)rng_int(r, 1, 5);
	if (rng_int(r, 0, 9) == 0)
		o.realizations = 70; /* more than a chunk, more than two blocks of 32 */
	if (o.stop == 0 || o.stop == WS_STOP_FIXED)
		o.sifts = rng_int(r, 1, 10);
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
	j.x = random_signals(r, &j.shape, *kind);
	if (method != WS_EMD && rng_int(r, 0, 4) == 0) {
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
