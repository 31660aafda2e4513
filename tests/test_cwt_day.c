/*
 * test_cwt_day.c - the wavelet transform of a long recording through a reader, in little memory: an
 * hour at 1 kHz in 2 GiB / 24; in the slow tier 24 hours of 64 channels in 2 GiB.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "core_test.h"

enum { RATE = 1000, PERIOD = 125, FREQUENCIES = 20, DECIMATE = 1000 };

typedef struct recording {
	size_t samples, delivered;
	float wave[PERIOD];     /* a period of 8 Hz */
} recording;

/* Silence, then a tone of amplitude channel + 1 at 8 Hz. */
static ws_status
read_channel(void *user, size_t channel, void *x)
{
	const recording *r = user;
	float *y = x;
	for (size_t t = 0; t < r->samples; ++t)
		y[t] = t < r->samples / 2 ? 0.0f : (float)(channel + 1) * r->wave[t % PERIOD];
	return WS_OK;
}

/* Power: nothing in the first half; in the second that of the tone, at its frequency alone. */
static ws_status
take(void *user, const ws_channel_result *made)
{
	recording *r = user;
	const ws_slab *slab = &made->slabs[WS_CWT_POWER];
	const size_t outputs = slab->extent[1];
	assert_int_equal(slab->extent[0], FREQUENCIES);
	assert_int_equal(outputs, r->samples / DECIMATE);
	const float *power = slab->data;
	const double tone = pow((double)(made->channel + 1), 2.0);
	double most = 0.0;
	for (size_t f = 0; f < FREQUENCIES; ++f) {
		const double late = power[f * outputs + 3 * outputs / 4];
		most = late > most ? late : most;
		assert_true(power[f * outputs + outputs / 4] < 1e-9 * tone);
	}
	assert_true(fabs(most / tone - 1.0) < 1e-4);
	assert_true(power[3 * outputs / 4] < 1e-6 * tone);
	++r->delivered;
	return WS_OK;
}

static size_t
resident(void)
{
	struct rusage use;
	assert_int_equal(getrusage(RUSAGE_SELF, &use), 0);
	return (size_t)use.ru_maxrss * 1024;
}

static void
a_day_goes_into_its_memory(void **state)
{
	(void)state;
	const size_t hours = slow_tier() ? 24 : 1, channels = slow_tier() ? 64 : 2;
	const size_t memory = ((size_t)2 << 30) / 24 * hours;
	/* One of them the tone's own: 8 Hz times powers of 2^(1/4). */
	double f[FREQUENCIES];
	for (int i = 0; i < FREQUENCIES; ++i)
		f[i] = 8.0 * pow(2.0, (8.0 - i) / 4.0);
	recording r = { .samples = hours * 3600 * RATE };
	for (int t = 0; t < PERIOD; ++t)
		r.wave[t] = (float)cos(2.0 * 3.14159265358979323846 * t / PERIOD);
	const ws_shape shape = { .size = sizeof shape, .channels = channels,
		.samples = r.samples, .fs = RATE, .type = WS_F32 };
	const ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT, .frequencies = f,
		.frequency_count = FREQUENCIES,
		.quantity = WS_QUANTITY_POWER, .decimate = DECIMATE };
	const ws_ctx_opts c = { .size = sizeof c, .device = "cpu", .threads = 4 };
	ws_ctx *ctx;
	ws_run *run;
	assert_int_equal(ws_ctx_create(&ctx, &c), WS_OK);
	if (ws_run_create(&run, ctx, "cwt", &shape, &o, memory) != WS_OK)
		fail_msg("%s", ws_error_detail());
	const size_t before = resident();
	const ws_stream stream = { .size = sizeof stream, .read = read_channel, .write = take,
		.user = &r };
	assert_int_equal(ws_run_execute(run, &stream), WS_OK);
	assert_int_equal(r.delivered, channels);
	const size_t grown = resident() - before;
	print_message("%zu h, %zu channels: %.0f MiB of %.0f MiB, %.1f s\n", hours, channels,
	              (double)grown / 1048576.0, (double)memory / 1048576.0,
	              ws_run_worked(run));
	if (!SANITIZED)
		assert_true(grown <= memory);
	ws_run_destroy(run);
	ws_ctx_destroy(ctx);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_day_goes_into_its_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
