/*
 * test_io_resample.c - signals at another rate: against what tones are, SciPy, and the same sum
 * over a signal that was extended by hand; and channels of a recording brought to one.
 */
#include "io_test.h"

#include "io/read/input.h"
#include "io/read/input_read.h"
#include "io/read/input_select.h"
#include "io/read/segments.h"

#define PI 3.14159265358979323846

static const double pairs[][2] = {
	{ 100, 50 }, { 50, 100 }, { 256, 100 }, { 100, 256 }, { 512, 500 }, { 44100, 48000 },
	{ 12.8, 100 }, { 1000, 999 }, { 128, 12.8 }, { 250, 250.0 / 3 }, { 100, 33.1234567 },
};

enum { PAIRS = sizeof pairs / sizeof *pairs };

/* Outputs of a whole signal of n samples; to be freed. */
static double *
whole(const wsi_resample *r, const double *x, size_t n, size_t *count)
{
	*count = wsi_resample_count(r, n);
	double *y = calloc(*count + 1, sizeof *y);
	assert_non_null(y);
	wsi_resample_run(r, x, 0, n, 0, *count, y);
	return y;
}

/* The largest error of a tone of f Hz, away from the ends; gain: what it is to be. */
static double
tone_error(const wsi_resample *r, double f, double gain)
{
	enum { N = 6000 };
	const size_t n = r->taps * 3 > N ? r->taps * 3 : N;
	double *x = malloc(n * sizeof *x), worst = 0;
	size_t count;
	assert_non_null(x);
	for (size_t i = 0; i < n; ++i)
		x[i] = cos(2 * PI * f * (double)i / r->from + 0.3);
	double *y = whole(r, x, n, &count);
	const double end = ((double)n - (double)r->half - 1) / r->from;
	for (size_t k = 0; k < count; ++k) {
		const double t = (double)k / r->to;
		if (t < (double)r->half / r->from || t > end)
			continue;
		const double e = fabs(y[k] - gain * cos(2 * PI * f * t + 0.3));
		worst = e > worst ? e : worst;
	}
	free(x);
	free(y);
	return worst;
}

static void
tones(void **state)
{
	(void)state;
	static const double passed[] = { 0.001, 0.1, 0.5, 0.8, 0.91 };
	static const double stopped[] = { 1.0001, 1.05, 1.3, 1.9 };
	for (size_t p = 0; p < PAIRS; ++p) {
		wsi_resample r;
		const double from = pairs[p][0], to = pairs[p][1];
		const double half = 0.5 * (from < to ? from : to);
		assert_int_equal(wsi_resample_make(&r, from, to), WS_OK);
		for (size_t k = 0; k < 5; ++k)
			close_to(tone_error(&r, passed[k] * half, 1), 0, 1.5e-6);
		/* Those that the new rate cannot hold; of the old one there are none. */
		for (size_t k = 0; k < 4 && to < from; ++k)
			if (stopped[k] * half < 0.5 * from)
				close_to(tone_error(&r, stopped[k] * half, 0), 0, 1.5e-6);
		wsi_resample_free(&r);
	}
}

static void
constants_and_counts(void **state)
{
	(void)state;
	double x[1000];
	for (size_t i = 0; i < 1000; ++i)
		x[i] = 123456.789;
	for (size_t p = 0; p < PAIRS; ++p) {
		wsi_resample r;
		size_t count;
		assert_int_equal(wsi_resample_make(&r, pairs[p][0], pairs[p][1]), WS_OK);
		for (size_t n = 1; n < 1000; n += 83) {
			double *y = whole(&r, x, n, &count);
			/* The last lies before the sample after the last, the next does not. */
			assert_true((double)(count - 1) / r.to < (double)n / r.from);
			assert_true((double)count / r.to >= (double)n / r.from * (1 - 1e-12));
			for (size_t k = 0; k < count; ++k)
				close_to(y[k], 123456.789, 1e-9);
			free(y);
		}
		wsi_resample_free(&r);
	}
	wsi_resample r;
	assert_int_equal(wsi_resample_make(&r, 1, 1e9), WS_E_ARG);
	assert_int_equal(wsi_resample_make(&r, 1e9, 1), WS_E_ARG);
}

static double
noise(size_t i)
{
	const uint32_t h = (uint32_t)(i * 2654435761u);
	return (double)(h % 20011) / 10000 - 1;
}

/* Ends are those of the signal that goes to and fro; parts are parts of the whole. */
static void
ends_and_parts(void **state)
{
	(void)state;
	enum { N = 300 };
	for (size_t p = 0; p < PAIRS; ++p) {
		wsi_resample r;
		size_t count;
		double x[N];
		assert_int_equal(wsi_resample_make(&r, pairs[p][0], pairs[p][1]), WS_OK);
		for (size_t i = 0; i < N; ++i)
			x[i] = noise(i);
		double *y = whole(&r, x, N, &count);
		/* x[0..N-1], x[N-2..1] as often as the filter is long, before and behind it. */
		const size_t period = 2 * (N - 1), before = (r.half / period + 1) * period;
		const size_t n = 2 * before + N;
		double *wide = malloc(n * sizeof *wide);
		assert_non_null(wide);
		for (size_t i = 0; i < n; ++i)
			wide[i] = x[i % period < N ? i % period : period - i % period];
		for (size_t k = 0; k < count && r.up; ++k) {
			const double *w = r.weights + k * r.down % r.up * r.taps;
			const double *from = wide + before + k * r.down / r.up + 1 - r.half;
			double sum = 0;
			for (size_t j = 0; j < r.taps; ++j)
				sum += w[j] * from[j];
			close_to(y[k], sum, 1e-12);
		}
		for (size_t first = 0; first + 20 < count; first += 29) {
			size_t from, to, core, core_end;
			double part[20];
			wsi_resample_span(&r, first, 20, 0, N, &from, &to, &core, &core_end);
			assert_true(from <= core && core < core_end && core_end <= to && to <= N);
			wsi_resample_run(&r, x + from, from, to - from, first, 20, part);
			if (from == 0 && to == N)
				assert_memory_equal(part, y + first, sizeof part);
			for (size_t k = 0; k < 20; ++k)
				if (r.taps < N)
					close_to(part[k], y[first + k], 0);
		}
		free(y);
		free(wide);
		wsi_resample_free(&r);
	}
}

/* scipy.signal.resample_poly(x, up, down, window=h) of 2000 samples, h: the filter at the rate of
 * both, made of numpy.sinc and numpy.i0. */
static void
scipy(void **state)
{
	(void)state;
	static const struct {
		double up, down;
		size_t count, at[3];
		double expected[3];
	} cases[] = {
		{ 1, 2, 1000, { 500, 501, 600 }, { -0.137563514, 0.446632082, 0.219456509 } },
		{ 2, 1, 4000, { 2000, 2001, 2100 }, { 0.149048265, 0.030950145, 0.125091778 } },
		{ 25, 64, 782, { 391, 392, 491 }, { 0.170787777, 0.396335187, 0.284575393 } },
		{ 160, 147, 2177, { 1088, 1089, 1188 },
		  { -0.143776775, 0.021000357, -0.776657213 } },
	};
	double x[2000];
	for (size_t i = 0; i < 2000; ++i)
		x[i] = noise(i);
	for (size_t c = 0; c < 4; ++c) {
		wsi_resample r;
		size_t count;
		assert_int_equal(wsi_resample_make(&r, cases[c].down, cases[c].up), WS_OK);
		double *y = whole(&r, x, 2000, &count);
		assert_int_equal(count, cases[c].count);
		for (size_t k = 0; k < 3; ++k)
			close_to(y[cases[c].at[k]], cases[c].expected[k], 1e-6);
		free(y);
		wsi_resample_free(&r);
	}
}

/* ---- Channels of a recording -------------------------------------------------------------- */

#define SECONDS 40

static const int rates[3] = { 100, 25, 100 };

static double
value(int channel, double t)
{
	return 500 * sin(2 * PI * 1.3 * t + channel) + 200 * cos(2 * PI * 3.1 * t);
}

/* Three channels of 100, 25 and 100 Hz, in EDF, records of 1 s; events at 10 and 20 s. */
static const char *
write_edf(void)
{
	static unsigned char bytes[20000];
	char head[256 * 4 + 1];
	int at = snprintf(head, sizeof head, "%-8s%-80s%-80s01.01.2000.00.00%-8d%-44s%-8d%-8d%-4d",
	                  "0", "", "", 1024, "", SECONDS, 1, 3);
	static const char *const fields[] = { "fast", "slow", "fast2" };
	static const struct {
		const char *text;
		int width;
	} same[] = { { "", 80 }, { "uV", 8 }, { "-3276.8", 8 }, { "3276.7", 8 }, { "-32768", 8 },
		     { "32767", 8 }, { "", 80 } };
	for (int c = 0; c < 3; ++c)
		at += sprintf(head + at, "%-16s", fields[c]);
	for (size_t k = 0; k < sizeof same / sizeof *same; ++k)
		for (int c = 0; c < 3; ++c)
			at += sprintf(head + at, "%-*s", same[k].width, same[k].text);
	for (int c = 0; c < 3; ++c)
		at += sprintf(head + at, "%-8d", rates[c]);
	at += sprintf(head + at, "%-96s", "");
	assert_int_equal(at, 1024);
	memcpy(bytes, head, 1024);
	size_t n = 1024;
	for (int r = 0; r < SECONDS; ++r)
		for (int c = 0; c < 3; ++c)
			for (int k = 0; k < rates[c]; ++k) {
				const double t = r + (double)k / rates[c];
				const int16_t v = (int16_t)lrint(10 * value(c, t));
				bytes[n++] = (unsigned char)v;
				bytes[n++] = (unsigned char)(v >> 8);
			}
	return test_file("rates.edf", bytes, n);
}

/* All signals as rows; to be freed. */
static double *
rows_of(wsi_input *in, size_t memory)
{
	double *x = calloc(in->n_channels * in->n_epochs * in->samples, sizeof *x);
	assert_non_null(x);
	wsi_input_plan(in, memory);
	if (wsi_input_start(in, test_path("out.h5"), NULL) != WS_OK)
		fail_msg("%s", ws_error_detail());
	for (size_t i = 0; i < in->n_channels * in->n_epochs; ++i)
		if (wsi_input_read(in, i, x + i * in->samples) != WS_OK)
			fail_msg("%s", ws_error_detail());
	assert_int_equal(wsi_input_finish(in), WS_OK);
	return x;
}

static wsi_input
selected(const wsi_pick *pick)
{
	wsi_input in;
	wsi_recording *rec = open_ok(test_path("rates.edf"));
	assert_int_equal(wsi_recording_add_event(rec, 10, 0, "go"), WS_OK);
	assert_int_equal(wsi_recording_add_event(rec, 20.01, 0, "go"), WS_OK);
	if (wsi_input_select(&in, rec, pick) != WS_OK)
		fail_msg("%s", ws_error_detail());
	return in;
}

static const double targets[] = { WSI_RATE_LOWEST, WSI_RATE_HIGHEST, 25, 100, 50, 64, 31.7 };

/* Every channel is what it is, at its times, and has its events; in whatever way it is read. */
static void
channels_of_one_rate(void **state)
{
	(void)state;
	write_edf();
	for (size_t k = 0; k < sizeof targets / sizeof *targets; ++k) {
		const wsi_pick pick = { .type = WS_F64, .resample = targets[k] };
		wsi_input in = selected(&pick), spooled = selected(&pick);
		const double fs = targets[k] == WSI_RATE_LOWEST ? 25
		                  : targets[k] == WSI_RATE_HIGHEST ? 100 : targets[k];
		close_to(in.fs, fs, 0);
		assert_int_equal(in.samples, (size_t)ceil(SECONDS * fs));
		assert_int_equal(in.rec->n_events, 2);
		double *x = rows_of(&in, (size_t)1 << 28), *y = rows_of(&spooled, (size_t)1 << 16);
		assert_int_equal(in.reading, WSI_READ_TRANSPOSED);
		assert_int_equal(spooled.reading, WSI_READ_SPOOLED);
		assert_memory_equal(x, y, 3 * in.samples * sizeof *x);
		assert_string_equal(in.sha256, spooled.sha256);
		for (size_t c = 0; c < 3; ++c)
			for (size_t i = 0; i < in.samples; ++i) {
				const double t = (double)i / fs;
				/* 0.1 is the step of the file. */
				if (t > 5 && t < SECONDS - 5)
					close_to(x[c * in.samples + i], value((int)c, t), 0.15);
			}
		/* One rate for a channel alone; the same samples. */
		const wsi_pick one = { .type = WS_F64, .resample = fs, .channels = "2" };
		wsi_input alone = selected(&one);
		double *z = rows_of(&alone, (size_t)1 << 28);
		assert_memory_equal(z, x + in.samples, in.samples * sizeof *z);
		free(x);
		free(y);
		free(z);
		wsi_input_close(&in);
		wsi_input_close(&spooled);
		wsi_input_close(&alone);
	}
}

/* A part of the time is that part of the whole, and so is an epoch. */
static void
parts_of_the_time(void **state)
{
	(void)state;
	write_edf();
	for (size_t k = 0; k < sizeof targets / sizeof *targets; ++k) {
		const wsi_pick all = { .type = WS_F64, .resample = targets[k] };
		wsi_pick part = all, epochs = all;
		part.from = (wsi_moment){ .text = "13.3", .value = 13.3 };
		part.to = (wsi_moment){ .text = "17.7", .value = 17.7 };
		epochs.epochs_at = "go";
		epochs.tmin = -0.5;
		epochs.tmax = 1;
		wsi_input in = selected(&all), few = selected(&part), cut = selected(&epochs);
		double *x = rows_of(&in, (size_t)1 << 28), *y = rows_of(&few, (size_t)1 << 28);
		double *z = rows_of(&cut, (size_t)1 << 28);
		assert_int_equal(cut.n_epochs, 2);
		for (size_t c = 0; c < 3; ++c) {
			assert_memory_equal(y + c * few.samples, x + c * in.samples + few.first,
			                    few.samples * sizeof *y);
			for (size_t e = 0; e < 2; ++e)
				assert_memory_equal(z + (e * 3 + c) * cut.samples,
				                    x + c * in.samples + cut.starts[e],
				                    cut.samples * sizeof *z);
		}
		free(x);
		free(y);
		free(z);
		wsi_input_close(&in);
		wsi_input_close(&few);
		wsi_input_close(&cut);
	}
}

/* Samples that are not finite: within the times selected they are refused or mended, about them the
 * signal ends there. */
static void
gaps(void **state)
{
	(void)state;
	static char text[400000];
	size_t n = (size_t)sprintf(text, "time,a\n");
	for (size_t i = 0; i < 4000; ++i)
		n += (size_t)sprintf(text + n, i == 1500 || i == 1501 ? "%.2f,nan\n" : "%.2f,%.9f\n",
		                     (double)i / 100, value(0, (double)i / 100));
	const char *path = test_text("gap.csv", text);
	wsi_input in;
	wsi_pick pick = { .type = WS_F64, .resample = 50 };
	assert_int_equal(wsi_input_select(&in, open_ok(path), &pick), WS_OK);
	wsi_input_plan(&in, (size_t)1 << 28);
	double *x = calloc(in.samples, sizeof *x);
	assert_non_null(x);
	assert_int_equal(wsi_input_start(&in, NULL, NULL), WS_OK);
	assert_int_equal(wsi_input_read(&in, 0, x), WS_E_FORMAT);
	assert_non_null(strstr(ws_error_detail(), "sample 1501 (15 s)"));
	free(x);
	wsi_input_close(&in);
	pick.interpolate = true;
	assert_int_equal(wsi_input_select(&in, open_ok(path), &pick), WS_OK);
	x = rows_of(&in, (size_t)1 << 28);
	assert_int_equal(in.mended[0], 2);
	for (size_t i = 250; i < 1750; ++i)
		close_to(x[i], value(0, (double)i / 50), 20);
	free(x);
	wsi_input_close(&in);
	/* Right behind it. */
	pick.interpolate = false;
	pick.from = (wsi_moment){ .text = "15.02", .value = 15.02 };
	assert_int_equal(wsi_input_select(&in, open_ok(path), &pick), WS_OK);
	x = rows_of(&in, (size_t)1 << 28);
	for (size_t i = 0; i < in.samples; ++i)
		assert_true(isfinite(x[i]));
	for (size_t i = 250; i < 900; ++i)
		close_to(x[i], value(0, 15.02 + (double)i / 50), 1e-2);
	free(x);
	wsi_input_close(&in);
}

/* Nothing comes from beyond a pause: a segment is what it is alone. */
static void
pauses(void **state)
{
	(void)state;
	write_edf();
	for (size_t k = 0; k < sizeof targets / sizeof *targets; ++k) {
		wsi_input in;
		wsi_pick pick = { .type = WS_F64, .resample = targets[k] };
		wsi_recording *rec = open_ok(test_path("rates.edf"));
		assert_int_equal(wsi_recording_add_segment(rec, 12, NAN, NAN), WS_OK);
		assert_int_equal(wsi_recording_find_segments(rec), WS_OK);
		assert_int_equal(wsi_input_select(&in, rec, &pick), WS_E_FORMAT);
		rec = open_ok(test_path("rates.edf"));
		assert_int_equal(wsi_recording_add_segment(rec, 12, NAN, NAN), WS_OK);
		assert_int_equal(wsi_recording_find_segments(rec), WS_OK);
		pick.segment = 2;
		assert_int_equal(wsi_input_select(&in, rec, &pick), WS_OK);
		double *x = rows_of(&in, (size_t)1 << 28);
		/* By hand, where the new samples lie as those of the segment do. */
		for (size_t c = 0; c < 3; ++c) {
			if (in.resampler[c] == SIZE_MAX || fmod(12 * in.fs, 1) != 0)
				continue;
			const wsi_resample *r = &in.resamplers[in.resampler[c]];
			const size_t from = 12 * (size_t)r->from, n = 40 * (size_t)r->from - from;
			double *own = calloc(n, sizeof *own), *y = calloc(in.samples, sizeof *y);
			assert_non_null(own);
			assert_non_null(y);
			assert_int_equal(wsi_recording_read(rec, 0, c, from, n, own), WS_OK);
			wsi_resample_run(r, own, 0, n, 0, in.samples, y);
			for (size_t i = 0; i < in.samples; ++i)
				close_to(x[c * in.samples + i], y[i], 1e-9);
			free(own);
			free(y);
		}
		free(x);
		wsi_input_close(&in);
	}
}

static void
refusals(void **state)
{
	(void)state;
	wsi_input in;
	write_edf();
	assert_int_equal(wsi_input_select(&in, open_ok(test_path("rates.edf")),
	                                  &(wsi_pick){ .type = WS_F64 }), WS_E_FORMAT);
	assert_non_null(strstr(ws_error_detail(), "`resample`"));
	const double few[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	assert_int_equal(wsi_input_select(&in, open_with(test_file("x.raw", few, sizeof few),
	                                  &(wsi_open_opts){ .raw = "f64" }),
	                                  &(wsi_pick){ .type = WS_F64, .resample = 5 }), WS_E_ARG);
	assert_non_null(strstr(ws_error_detail(), "`fs`"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tones),
		cmocka_unit_test(constants_and_counts),
		cmocka_unit_test(ends_and_parts),
		cmocka_unit_test(scipy),
		cmocka_unit_test(channels_of_one_rate),
		cmocka_unit_test(parts_of_the_time),
		cmocka_unit_test(gaps),
		cmocka_unit_test(pauses),
		cmocka_unit_test(refusals),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
