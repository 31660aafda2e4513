/* test_io_input.c - what is read in one pass is what the reader gives, whatever the way. */
#include "io/read/input.h"
#include "io/read/input_read.h"
#include "io/read/input_select.h"
#include "io/result/sha256.h"
#include "io_test.h"

#define CHANNELS 5
#define SAMPLES 150001  /* more than two chunks, and no whole number of anything */

/* Values that f32 holds, in order of channels or of samples. */
static void *
make_samples(bool by_sample)
{
	float *x = malloc(CHANNELS * (size_t)SAMPLES * sizeof *x);
	for (size_t c = 0; c < CHANNELS; ++c)
		for (size_t k = 0; k < SAMPLES; ++k)
			x[by_sample ? k * CHANNELS + c : c * SAMPLES + k] =
				(float)((k * 7919 + c * 104729) % 65521) - 32000.0f;
	return x;
}

static const char *
raw_file(const char *name, bool by_sample)
{
	void *x = make_samples(by_sample);
	const char *path = test_file(name, x, CHANNELS * (size_t)SAMPLES * sizeof(float));
	free(x);
	return path;
}

static const char *
npy_file(const char *name, const char *shape, bool fortran)
{
	const size_t bytes = CHANNELS * (size_t)SAMPLES * sizeof(float);
	char *file = malloc(128 + bytes);
	void *x = make_samples(fortran);
	memset(file, ' ', 128);
	memcpy(file, "\x93NUMPY\1\0\x76\0", 10);
	char dict[118];
	int n = snprintf(dict, sizeof dict, "{'descr': '<f4', 'fortran_order': %s, 'shape': %s, }",
	                 fortran ? "True" : "False", shape);
	memcpy(file + 10, dict, (size_t)n);
	file[127] = '\n';
	memcpy(file + 128, x, bytes);
	const char *path = test_file(name, file, 128 + bytes);
	free(x);
	free(file);
	return path;
}

/* Everything that pick takes, read with so much memory, is what the reader gives. */
static void
check(const char *path, const wsi_open_opts *opts, const wsi_pick *pick, size_t memory,
      wsi_reading reading)
{
	wsi_input in;
	char want[65];
	assert_int_equal(wsi_input_select(&in, open_with(path, opts), pick), WS_OK);
	wsi_input_plan(&in, memory);
	assert_int_equal(in.reading, reading);
	assert_true(in.reading_bytes <= memory);
	wsi_recording *rec = open_with(path, opts);
	const size_t size = pick->type == WS_F32 ? 4 : 8;
	char *x = malloc(in.samples * size);
	double *y = malloc(in.samples * sizeof *y);
	assert_int_equal(wsi_input_start(&in, path, NULL), WS_OK);
	for (size_t i = 0; i < in.n_channels * in.n_epochs; ++i) {
		assert_int_equal(wsi_input_read(&in, i, x), WS_OK);
		assert_int_equal(wsi_recording_read(rec, in.epochs[i / in.n_channels],
		                                    in.channels[i % in.n_channels], in.first,
		                                    in.samples, y), WS_OK);
		for (size_t k = 0; k < in.samples; ++k) {
			const double got = size == 4 ? (double)((float *)x)[k] : ((double *)x)[k];
			if (got != (size == 4 ? (double)(float)y[k] : y[k]))
				fail_msg("%s, signal %zu, sample %zu: %g, not %g", path, i, k, got, y[k]);
		}
	}
	assert_int_equal(wsi_input_finish(&in), WS_OK);
	assert_int_equal(wsi_sha256_file(path, want), WS_OK);
	assert_string_equal(in.sha256, want);
	for (size_t c = 0; c < in.n_channels; ++c)
		assert_int_equal(in.mended[c], 0);
	wsi_input_close(&in);
	wsi_recording_close(rec);
	free(x);
	free(y);
}

/* All of a file, some of it, and some of it in another order. */
static void
check_file(const char *path, const wsi_open_opts *opts, wsi_order order, const char *some,
           const char *other)
{
	const bool samples = order == WSI_ORDER_SAMPLES, channels = order == WSI_ORDER_CHANNELS;
	const wsi_reading plain = channels ? WSI_READ_ONCE : WSI_READ_AS_IT_COMES;
	for (int type = 0; type < 2; ++type) {
		wsi_pick all = { .type = type ? WS_F32 : WS_F64 }, part = all, turned = all;
		part.channels = some;
		part.from = (wsi_moment){ .text = "3", .value = 3 };
		turned.channels = other;
		check(path, opts, &all, SIZE_MAX, samples ? WSI_READ_TRANSPOSED : plain);
		check(path, opts, &all, 0, samples ? WSI_READ_SPOOLED : plain);
		check(path, opts, &all, 700000, samples ? WSI_READ_SPOOLED : plain);
		check(path, opts, &part, SIZE_MAX, samples ? WSI_READ_TRANSPOSED : plain);
		check(path, opts, &part, 0, samples ? WSI_READ_SPOOLED : plain);
		check(path, opts, &turned, SIZE_MAX,
		      samples ? WSI_READ_TRANSPOSED : WSI_READ_AS_IT_COMES);
		check(path, opts, &turned, 0, samples ? WSI_READ_SPOOLED : WSI_READ_AS_IT_COMES);
	}
}

static void
test_ways(void **state)
{
	(void)state;
	const wsi_open_opts channels = { .raw = "f32,channels=5,order=channel" };
	const wsi_open_opts samples = { .raw = "f32,channels=5,order=sample" };
	const wsi_open_opts skip = { .raw = "f32,channels=4,order=sample,skip=600004" };
	check_file(raw_file("c.raw", false), &channels, WSI_ORDER_CHANNELS, "2,4", "4,2");
	check_file(raw_file("s.raw", true), &samples, WSI_ORDER_SAMPLES, "2,4", "4,2");
	check_file(raw_file("s.raw", true), &skip, WSI_ORDER_SAMPLES, "2,4", "4,2");
	check_file(npy_file("c.npy", "(5, 150001)", false), NULL, WSI_ORDER_CHANNELS, "2,4", "4,2");
	check_file(npy_file("f.npy", "(5, 150001)", true), NULL, WSI_ORDER_SAMPLES, "2,4", "4,2");
	check(test_text("t.csv", "a,b\r\n\n1,2\n3,4\n# 5\n5,6"), NULL, &(wsi_pick){ .type = WS_F64 }, 0,
	      WSI_READ_AS_IT_COMES);
	check_file(WAVESIFT_SOURCE_DIR "/examples/data/eeg.edf", NULL, WSI_ORDER_SAMPLES, "1,3,4",
	           "3,1");
}

static void
test_epochs(void **state)
{
	(void)state;
	const wsi_pick all = { .type = WS_F64 }, some = { .type = WS_F64, .epochs = "2,4" };
	const wsi_pick turned = { .type = WS_F64, .epochs = "4,2" };
	const char *path = npy_file("e.npy", "(5, 11, 13636)", false);
	check(path, NULL, &all, SIZE_MAX, WSI_READ_ONCE);
	check(path, NULL, &some, SIZE_MAX, WSI_READ_ONCE);
	check(path, NULL, &turned, SIZE_MAX, WSI_READ_AS_IT_COMES);
}

/* A gap from sample `at` on; what comes of it, with --nan interpolate. */
static void
check_gap(bool by_sample, size_t at, size_t length, size_t memory, const char *word)
{
	float *x = make_samples(by_sample);
	for (size_t k = at; k < at + length; ++k)
		x[by_sample ? k * CHANNELS + 2 : 2 * (size_t)SAMPLES + k] = NAN;
	const char *path = test_file("gap.raw", x, CHANNELS * (size_t)SAMPLES * sizeof *x);
	const wsi_open_opts opts = { .raw = by_sample ? "f32,channels=5,order=sample"
	                                    : "f32,channels=5,order=channel" };
	const wsi_pick pick = { .type = WS_F64, .interpolate = -1 };
	wsi_input in;
	assert_int_equal(wsi_input_select(&in, open_with(path, &opts), &pick), WS_OK);
	wsi_input_plan(&in, memory);
	double *y = malloc(SAMPLES * sizeof *y);
	ws_status status = wsi_input_start(&in, path, NULL);
	for (size_t i = 0; i < 3 && status == WS_OK; ++i)
		status = wsi_input_read(&in, i, y);
	if (word) {
		assert_int_equal(status, WS_E_FORMAT);
		assert_non_null(strstr(ws_error_detail(), word));
	} else {
		assert_int_equal(status, WS_OK);
		assert_int_equal(in.mended[2], length);
		assert_int_equal(in.mended[1], 0);
		const double a = y[at - 1], b = y[at + length];
		for (size_t k = 0; k < length; ++k)
			assert_true(y[at + k] == a + (b - a) * ((double)(k + 1) / (double)(length + 1)));
	}
	wsi_input_close(&in);
	free(x);
	free(y);
}

static void
test_gaps(void **state)
{
	(void)state;
	for (int by_sample = 0; by_sample < 2; ++by_sample)
		for (int spooled = 0; spooled < 2; ++spooled) {
			const size_t memory = spooled ? 0 : SIZE_MAX;
			/* Across chunks and stretches of any size. */
			for (size_t at = 65526; at < 65540; at += 3)
				check_gap(by_sample, at, 10, memory, NULL);
			check_gap(by_sample, 1, 1, memory, NULL);
			check_gap(by_sample, SAMPLES - 4, 3, memory, NULL);
			check_gap(by_sample, 65530, 11, memory, "channel 3 is not a finite number at sample 65531");
			check_gap(by_sample, 0, 1, memory, "a gap at the beginning");
			check_gap(by_sample, SAMPLES - 2, 2, memory, "a gap at the end");
		}
}

static bool
stop(void)
{
	return true;
}

static void
test_stop(void **state)
{
	(void)state;
	const wsi_open_opts opts = { .raw = "f32,channels=5,order=sample" };
	const wsi_pick pick = { .type = WS_F64 };
	wsi_input in;
	const char *path = raw_file("s.raw", true);
	assert_int_equal(wsi_input_select(&in, open_with(path, &opts), &pick), WS_OK);
	wsi_input_plan(&in, 0);
	assert_int_equal(wsi_input_start(&in, path, stop), WS_E_CANCELLED);
	wsi_input_close(&in);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ways),
		cmocka_unit_test(test_epochs),
		cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_stop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
