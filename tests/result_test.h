/* result_test.h - what the tests of results share: a small result, written, read back and
 * compared. */
#ifndef WSI_RESULT_TEST_H
#define WSI_RESULT_TEST_H

#include "emd_result.h"
#include "io_test.h"

#include "io/result/result.h"
#include "io/write/writer_mat73.h"
#include "io/write/writer_mat_arrays.h"

enum { CHANNELS = 3, MAX_MODES = 5, SAMPLES = 50 };
static const char *const names[CHANNELS] = { "Fz", "C\xc3\xbc,z", "a \"b\"" };
static const char *const units[CHANNELS] = { "uV", "", "\xc2\xb5V" };
static const int32_t epoch_numbers[2] = { 7, 3 };
static const wsi_event events[2] = {
	{ 0.5, 0, (char *)"square", 0, 58.5 }, { 1.25, 0.5, (char *)"rt \xc3\xbc", 0, 59.25 } };
static const ws_fact facts[3] = {
	{ .key = "title", .kind = WS_OPTION_TEXT, .text = "EMD of x.edf" },
	{ .key = "options", .kind = WS_OPTION_TEXT, .text = "10 sifts" },
	{ .key = "seed", .kind = WS_OPTION_INT, .integer = -42 },
};

/* Fewer modes than announced, and not the same in every channel. */
static inline size_t
mode_count(size_t epoch, size_t channel)
{
	return 1 + (epoch + channel) % 3;
}

/* Row r of a channel: 0 the signal, 1.. the modes, 99 the residue. */
static inline double
value(size_t epoch, size_t channel, size_t r, size_t t)
{
	return sin((double)(1 + epoch * 1000 + channel * 100 + r) * (1 + (double)t) / 7.0) * 1e-5;
}

static inline wsi_result_header
header(size_t epochs, ws_type type, ws_type store, int compress)
{
	wsi_result_header h = {
		.epochs = epochs, .epoch_numbers = epoch_numbers, .channels = CHANNELS,
			.samples = SAMPLES,
		.type = type, .store = store, .compress = compress, .fs = 128, .fs_known = true,
		.first_time = 2, .time_origin = 58, .time_unit = 60,
		.start_time = "2009-08-24T00:20:03", .channel_names = names,
		.units = units, .events = events, .n_events = 2, .facts = facts, .n_facts = 3,
	};
	declare(&h, MAX_MODES);
	return h;
}

static inline void
fill(void *to, ws_type type, size_t row, size_t epoch, size_t channel, size_t r)
{
	for (size_t t = 0; t < SAMPLES; ++t) {
		double v = value(epoch, channel, r, t);
		if (type == WS_F64)
			((double *)to)[row * SAMPLES + t] = v;
		else
			((float *)to)[row * SAMPLES + t] = (float)v;
	}
}

static inline ws_status
put_channel(wsi_writer *w, ws_type type, size_t epoch, size_t channel, size_t modes)
{
	double signal[SAMPLES], rows[(MAX_MODES + 2) * SAMPLES], residue[SAMPLES];
	fill(signal, type, 0, epoch, channel, 0);
	for (size_t m = 0; m < modes; ++m)
		fill(rows, type, m, epoch, channel, m + 1);
	fill(residue, type, 0, epoch, channel, 99);
	return put_rows(w, epoch * CHANNELS + channel, signal, rows, modes, residue);
}

/* The whole way; version 7.3 of MAT is for results beyond 2 GiB, so a test
 * asks for it by hand. */
static inline ws_status
finish_mat73(wsi_writer *w, const ws_fact *f, size_t n)
{
	return wsi_mat73_write(w, f, n);
}

static const wsi_writer_format mat73 = {
	".mat", wsi_spooled_open, wsi_spooled_put, finish_mat73, wsi_spooled_close, NULL, NULL,
};

static inline ws_status
write_result(const char *path, const wsi_result_header *h, bool overwrite)
{
	wsi_writer *w;
	ws_status status = wsi_writer_open(&w, path, h, overwrite);
	if (status != WS_OK) {
		assert_null(w);
		return status;
	}
	if (strstr(path, "73.mat"))
		w->format = &mat73;
	for (size_t e = 0; e < (h->epochs ? h->epochs : 1) && status == WS_OK; ++e)
		for (size_t c = 0; c < CHANNELS && status == WS_OK; ++c)
			status = put_channel(w, h->type, e, c, mode_count(e, c));
	if (status != WS_OK) {
		wsi_writer_abort(w);
		return status;
	}
	const ws_fact last = { .key = "seconds", .kind = WS_OPTION_REAL, .real = 1.5 };
	return writer_commit(w, &last, 1);
}

static inline void
written(const char *path, const wsi_result_header *h)
{
	if (write_result(path, h, true) != WS_OK)
		fail_msg("%s", ws_error_detail());
}

static inline wsi_result *
opened(const char *path)
{
	wsi_result *r;
	if (wsi_result_open(&r, path, NULL) != WS_OK)
		fail_msg("%s", ws_error_detail());
	return r;
}

static inline void
row_is(wsi_result *r, size_t epoch, size_t channel, size_t row, size_t want, bool single)
{
	double got[SAMPLES];
	/* In two parts, so that an offset counts. */
	assert_int_equal(wsi_result_read(r, epoch, channel, row, 0, 7, got), WS_OK);
	assert_int_equal(wsi_result_read(r, epoch, channel, row, 7, SAMPLES - 7, got + 7), WS_OK);
	for (size_t t = 0; t < SAMPLES; ++t) {
		double v = value(epoch, channel, want, t);
		double expected = single ? (double)(float)v : v;
		if (got[t] != expected)
			fail_msg("epoch %zu channel %zu row %zu sample %zu: %.17g, not %.17g",
			         epoch, channel, want, t, got[t], expected);
	}
}

static inline void
signal_is_sum(wsi_result *r, size_t epoch, size_t channel)
{
	double got, row, sum = 0;
	assert_int_equal(wsi_result_read(r, epoch, channel, WSI_ROW_SIGNAL, 11, 1, &got), WS_OK);
	for (size_t m = 0; m < mode_count(epoch, channel); ++m) {
		assert_int_equal(wsi_result_read(r, epoch, channel, m, 11, 1, &row), WS_OK);
		sum += row;
	}
	assert_int_equal(wsi_result_read(r, epoch, channel, WSI_ROW_RESIDUE, 11, 1, &row), WS_OK);
	close_to(got, sum + row, 1e-15);
}

static inline void
check_result(const char *path, const wsi_result_header *h, bool npy)
{
	bool single = h->type == WS_F32 || h->store == WS_F32;
	wsi_result *r = opened(path);
	assert_int_equal(r->epochs, h->epochs);
	assert_int_equal(r->channels, CHANNELS);
	assert_int_equal(r->max_modes, 3);
	assert_int_equal(r->samples, SAMPLES);
	assert_int_equal(r->has_signal, !npy);
	assert_true(r->fs_known);
	close_to(r->fs, 128, 0);
	close_to(r->first_time, 2, 0);
	close_to(r->time_origin, 58, 0);
	close_to(r->time_unit, 60, 0);
	assert_string_equal(r->start_time, h->start_time);
	assert_string_equal(r->title, "EMD of x.edf");
	assert_string_equal(r->options, "10 sifts");
	for (size_t c = 0; c < CHANNELS; ++c) {
		assert_string_equal(r->channel_names[c], names[c]);
		assert_string_equal(r->units[c], units[c]);
	}
	for (size_t e = 0; e < h->epochs; ++e)
		assert_int_equal(wsi_result_epoch(r, e), epoch_numbers[e]);
	for (size_t e = 0; e < (h->epochs ? h->epochs : 1); ++e)
		for (size_t c = 0; c < CHANNELS; ++c) {
			assert_int_equal(r->mode_count[e * CHANNELS + c], mode_count(e, c));
			for (size_t m = 0; m < mode_count(e, c); ++m)
				row_is(r, e, c, m, m + 1, single);
			row_is(r, e, c, WSI_ROW_RESIDUE, 99, single);
			if (npy)
				signal_is_sum(r, e, c);
			else
				row_is(r, e, c, WSI_ROW_SIGNAL, 0, single);
		}
	double x;
	assert_int_equal(wsi_result_read(r, 0, CHANNELS, 0, 0, 1, &x), WS_E_ARG);
	assert_int_equal(wsi_result_read(r, 0, 0, 3, 0, 1, &x), WS_E_ARG);
	assert_int_equal(wsi_result_read(r, 0, 0, 0, SAMPLES, 1, &x), WS_E_ARG);
	wsi_result_close(r);
}

static const char *const formats[] = { "r.h5", "r.npy", "r.mat", "r73.mat" };
enum { N_FORMATS = sizeof formats / sizeof *formats };

/* The bytes of a file, or its first, and a 0. */
static inline char *
content(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	assert_non_null(f);
	char *text = calloc(1, 1 << 20);
	*n = fread(text, 1, (1 << 20) - 1, f);
	fclose(f);
	return text;
}

#endif
