/* helper_octaves.c - see octaves_test.h. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "octaves_test.h"

enum { MOST_ARRAYS = WS_CWT_ARRAYS + 32, GAP = 64 };

/* One array of a result, without gaps. */
typedef struct made {
	ws_array a;
	double *frequency, *time;
	char *data;
} made;

typedef struct all_made {
	int n;
	made arrays[MOST_ARRAYS];
	size_t samples, element;
	ws_type type;
	const char *x;
} all_made;

/* Bytes of an element, of complex ones too. */
static size_t
element_of(const ws_array *a)
{
	return a->type == WS_C128 ? 16 : a->type == WS_C64 ? 8 : type_size(a->type);
}

static size_t
bytes_of(const ws_array *a)
{
	size_t bytes = element_of(a);
	for (int k = 0; k < a->rank; ++k)
		bytes *= a->extent[k];
	return bytes;
}

static bool
is_timed(const ws_array *a)
{
	return a->rank == 3 && a->axis[2] == WS_AXIS_TIME && bytes_of(a) > 0;
}

static void
well(ws_status status)
{
	if (status != WS_OK)
		fail_msg("%s: %s", ws_status_name(status), ws_error_detail());
}

/* ---- By a plan --------------------------------------------------------------------------- */

static void
take_arrays(all_made *r, int n, ws_status (*array)(const void *, int, ws_array *),
            ws_status (*axis)(const void *, int, ws_axis, double *, size_t), const void *of)
{
	r->n = n;
	assert_true(n <= MOST_ARRAYS);
	for (int i = 0; i < n; ++i) {
		made *m = &r->arrays[i];
		m->a.size = sizeof m->a;
		well(array(of, i, &m->a));
		if (!is_timed(&m->a))
			continue;
		m->frequency = need(m->a.extent[1] * sizeof(double));
		m->time = need(m->a.extent[2] * sizeof(double));
		m->data = need(bytes_of(&m->a));
		memset(m->data, 0x5a, bytes_of(&m->a));
		well(axis(of, i, WS_AXIS_FREQUENCY, m->frequency, m->a.extent[1]));
		well(axis(of, i, WS_AXIS_TIME, m->time, m->a.extent[2]));
	}
}

static ws_status
plan_array(const void *plan, int i, ws_array *a)
{
	return ws_plan_array(plan, i, a);
}

static ws_status
plan_axis(const void *plan, int i, ws_axis axis, double *values, size_t room)
{
	return ws_plan_axis(plan, i, axis, values, room);
}

/* Rows with gaps, which stay as they are. */
static void
by_plan(ws_ctx *ctx, const ws_shape *shape, const ws_cwt_opts *o, all_made *r, octaves_result *told)
{
	ws_plan *plan;
	ws_buffer buffers[MOST_ARRAYS] = { { .data = NULL } };
	well(ws_plan_create(&plan, ctx, "cwt", shape, o));
	snprintf(told->plan, sizeof told->plan, "%s", ws_plan_describe(plan));
	take_arrays(r, ws_plan_arrays(plan), plan_array, plan_axis, plan);
	for (int i = 0; i < r->n; ++i) {
		const ws_array *a = &r->arrays[i].a;
		if (!r->arrays[i].data)
			continue;
		const size_t row = a->extent[2] * element_of(a) + GAP;
		buffers[i] = (ws_buffer){ need(a->extent[0] * a->extent[1] * row),
			{ a->extent[1] * row, row } };
		memset(buffers[i].data, 0x5a, a->extent[0] * a->extent[1] * row);
	}
	void *workspace = aligned_alloc(64, (ws_plan_workspace(plan) + 127) / 64 * 64);
	const ws_io io = { .size = sizeof io, .x = r->x, .arrays = buffers,
		.n_arrays = MOST_ARRAYS };
	well(ws_execute(plan, &io, workspace));
	for (int i = 0; i < r->n; ++i) {
		const ws_array *a = &r->arrays[i].a;
		if (!r->arrays[i].data)
			continue;
		const size_t full = a->extent[2] * element_of(a);
		for (size_t k = 0; k < a->extent[0] * a->extent[1]; ++k) {
			const char *row = (char *)buffers[i].data + k * (full + GAP);
			memcpy(r->arrays[i].data + k * full, row, full);
			for (size_t b = full; b < full + GAP; ++b)
				assert_int_equal(row[b], 0x5a);
		}
		free(buffers[i].data);
	}
	free(workspace);
	ws_plan_destroy(plan);
}

/* ---- By a run ---------------------------------------------------------------------------- */

static ws_status
run_array(const void *run, int i, ws_array *a)
{
	return ws_run_array(run, i, a);
}

static ws_status
run_axis(const void *run, int i, ws_axis axis, double *values, size_t room)
{
	return ws_run_axis(run, i, axis, values, room);
}

static ws_status
read_channel(void *user, size_t channel, void *x)
{
	const all_made *r = user;
	memcpy(x, r->x + channel * r->samples * r->element, r->samples * r->element);
	return WS_OK;
}

static ws_status
write_channel(void *user, const ws_channel_result *part)
{
	all_made *r = user;
	for (int i = 0; i < r->n; ++i) {
		const made *m = &r->arrays[i];
		const ws_slab *s = &part->slabs[i];
		if (!m->data)
			continue;
		const size_t row = m->a.extent[2] * element_of(&m->a);
		assert_true(s->extent[0] == 0 || s->extent[1] == m->a.extent[2]);
		assert_true(s->first[0] + s->extent[0] <= m->a.extent[1]);
		memcpy(m->data + (part->channel * m->a.extent[1] + s->first[0]) * row, s->data,
		       s->extent[0] * row);
	}
	return WS_OK;
}

static void
by_run(ws_ctx *ctx, const octaves_task *task, const ws_shape *shape, const ws_cwt_opts *o,
       all_made *r, octaves_result *told)
{
	ws_run *run;
	well(ws_run_create(&run, ctx, "cwt", shape, o, task->memory));
	snprintf(told->plan, sizeof told->plan, "%s", ws_run_describe(run));
	told->blocks = ws_run_blocks(run);
	take_arrays(r, ws_run_arrays(run), run_array, run_axis, run);
	const ws_stream stream = { .size = sizeof stream, .read = read_channel,
		.write = write_channel, .user = r };
	well(ws_run_execute(run, &stream));
	ws_run_destroy(run);
}

/* ---- Comparison --------------------------------------------------------------------------- */

static void
arrays_free(all_made *r)
{
	for (int i = 0; i < r->n; ++i) {
		free(r->arrays[i].frequency);
		free(r->arrays[i].time);
		free(r->arrays[i].data);
	}
}

/* A row of an octave against every D-th of the whole row, by the whole row's largest. */
static double
row_error(const made *octave, size_t row, size_t every, const made *whole, size_t at, bool phase,
          const made *weight)
{
	const ws_type type = octave->a.type == WS_C64 ? WS_F32
		: octave->a.type == WS_C128 ? WS_F64 : octave->a.type;
	const size_t numbers = octave->a.type == WS_C64 || octave->a.type == WS_C128 ? 2 : 1;
	const size_t n = octave->a.extent[2], all = whole->a.extent[2];
	double worst = 0.0, peak = 0.0;
	for (size_t t = 0; t < n; ++t)
		for (size_t k = 0; k < numbers; ++k) {
			const double got = get(type, octave->data, (row * n + t) * numbers + k);
			const size_t i = at * all + t * every;
			double e = got - get(type, whole->data, i * numbers + k);
			if (phase)
				e = remainder(e, 2.0 * 3.14159265358979323846) *
				    get(type, weight->data, i);
			if (!(fabs(e) <= worst))
				worst = fabs(e);
		}
	const made *of = phase ? weight : whole;
	for (size_t t = 0; t < all * numbers; ++t)
		peak = fmax(peak, fabs(get(type, of->data, at * all * numbers + t)));
	return worst == 0.0 ? 0.0 : worst / peak;
}

static const made *
timed_of(const all_made *r)
{
	for (int i = 0; i < r->n; ++i)
		if (r->arrays[i].data)
			return &r->arrays[i];
	fail_msg("no array has times");
	return NULL;
}

/* The frequency's place among those of the whole transform. */
static size_t
place_of(const made *whole, double frequency)
{
	size_t f = 0;
	while (f < whole->a.extent[1] && whole->frequency[f] != frequency)
		++f;
	assert_true(f < whole->a.extent[1]);
	return f;
}

/* Digest of FNV. */
static uint64_t
digest(uint64_t bits, const char *data, size_t bytes)
{
	for (size_t i = 0; i < bytes; ++i)
		bits = (bits ^ (unsigned char)data[i]) * 1099511628211u;
	return bits;
}

static void
take_octave(octaves_result *told, const octaves_task *task, const made *m, const made *whole,
            const made *weight)
{
	const double fs = task->shape.fs;
	const size_t channels = task->shape.channels, outputs = m->a.extent[2];
	const size_t base = task->o.decimate ? task->o.decimate : 1;
	const size_t every = outputs > 1 ? (size_t)lrint(m->time[1] * fs) : task->shape.samples;
	told->decimate[told->octaves] = every;
	told->outputs[told->octaves++] = outputs;
	if (outputs > 1) {
		assert_int_equal(outputs, (task->shape.samples + every - 1) / every);
		assert_int_equal(every % base, 0);
		assert_int_equal(every / base & (every / base - 1), 0);
	}
	for (size_t t = 0; t < outputs; ++t)
		assert_true(m->time[t] == (double)(t * every) / fs);
	for (size_t f = 0; f < m->a.extent[1]; ++f)
		for (size_t c = 0; c < channels; ++c) {
			const size_t at = place_of(whole, m->frequency[f]);
			assert_true(m->frequency[f] > 0.499999 * m->frequency[0] &&
			            m->frequency[f] < 2.000001 * m->frequency[0]);
			const double e = row_error(m, c * m->a.extent[1] + f, every / base, whole,
			                           c * whole->a.extent[1] + at,
			                           task->o.quantity == WS_QUANTITY_PHASE, weight);
			if (!(e <= told->error))
				told->error = e;
		}
	told->bits = digest(told->bits, m->data, bytes_of(&m->a));
}

/* The transform of all frequencies at every sample, or every D-th, on the CPU. */
static all_made
whole_of(const octaves_task *task, ws_quantity quantity, const char *x)
{
	ws_ctx *cpu;
	octaves_result unused;
	const ws_ctx_opts opts = { .size = sizeof opts, .device = "cpu" };
	well(ws_ctx_create(&cpu, &opts));
	ws_shape shape = task->shape;
	ws_cwt_opts o = task->o;
	shape.size = sizeof shape;
	o.size = sizeof o;
	o.tag = WS_TAG_CWT;
	o.quantity = quantity;
	all_made r = { .x = x, .samples = shape.samples, .element = type_size(shape.type),
		.type = shape.type };
	by_plan(cpu, &shape, &o, &r, &unused);
	ws_ctx_destroy(cpu);
	return r;
}

octaves_result
octaves_compare(const octaves_task *task)
{
	octaves_result told = { .bits = 14695981039346656037u };
	ws_ctx *ctx;
	const ws_ctx_opts opts = { .size = sizeof opts, .device = task->device,
		.device_memory = task->device_memory, .threads = task->threads };
	well(ws_ctx_create(&ctx, &opts));
	ws_shape shape = task->shape;
	ws_cwt_opts o = task->o;
	shape.size = sizeof shape;
	o.size = sizeof o;
	o.tag = WS_TAG_CWT;
	o.octave_arrays = 1;
	const size_t element = type_size(shape.type), all = shape.channels * shape.samples;
	char *x = need(all * element);
	to_type(shape.type, task->x, all, x);
	all_made r = { .x = x, .samples = shape.samples, .element = element, .type = shape.type };
	if (task->memory)
		by_run(ctx, task, &shape, &o, &r, &told);
	else
		by_plan(ctx, &shape, &o, &r, &told);
	ws_ctx_destroy(ctx);
	all_made whole = whole_of(task, task->o.quantity, x), weight = { 0 };
	if (task->o.quantity == WS_QUANTITY_PHASE)
		weight = whole_of(task, WS_QUANTITY_MAGNITUDE, x);
	for (int i = WS_CWT_ARRAYS; i < r.n; ++i)
		take_octave(&told, task, &r.arrays[i], timed_of(&whole),
		            weight.n ? timed_of(&weight) : NULL);
	arrays_free(&r);
	arrays_free(&whole);
	arrays_free(&weight);
	free(x);
	return told;
}
