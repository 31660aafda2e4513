/*
 * test_io_result_checksums.c - random changes of any byte of results in .h5: none gives other
 * samples, events, names, units, times or facts without a word, whoever reads them; by our own sums,
 * and those that HDF5 has of its headers (docs/security.md).
 *
 * Of each file until 25 changes were refused, those of bytes that nothing uses not among them;
 * WAVESIFT_SLOW=1: 2000.
 */
#include "result_test.h"

#include <fcntl.h>
#include <zlib.h>

#include "io/result/arrays.h"
#include "io/result/stored.h"

static uLong sum;

static void
add(const void *bytes, size_t n)
{
	sum = crc32(sum, bytes, (uInt)n);
}

static void
add_text(const char *text)
{
	add(text, strlen(text) + 1);
}

static void
add_recording(const wsi_recording *rec)
{
	add(&rec->time_origin, sizeof rec->time_origin);
	add_text(rec->start_time);
	for (size_t i = 0; i < rec->n_channels; ++i) {
		const wsi_channel *c = &rec->channels[i];
		add_text(c->name);
		add_text(c->unit);
		add(&c->fs, sizeof c->fs);
		add(&c->samples, sizeof c->samples);
	}
	for (size_t i = 0; i < rec->n_events; ++i) {
		add(&rec->events[i].onset, sizeof(double));
		add(&rec->events[i].duration, sizeof(double));
		add_text(rec->events[i].label);
	}
}

/* ---- Readers of results: each adds all that it is told ------------------------------------- */

static ws_status
by_plot(const char *path)
{
	wsi_result *r;
	double x[SAMPLES];
	ws_status status = wsi_result_open(&r, path, NULL);
	if (status != WS_OK)
		return status;
	const double times[] = { r->fs, r->first_time, r->time_origin, r->time_unit };
	const size_t sizes[] = { r->epochs, r->channels, r->max_modes, r->samples, r->fs_known,
		r->timed, r->named, r->has_signal };
	add(times, sizeof times);
	add(sizes, sizeof sizes);
	add_text(r->start_time);
	add_text(r->title);
	add_text(r->options);
	for (size_t c = 0; c < r->channels; ++c) {
		add_text(r->channel_names[c]);
		add_text(r->units[c]);
	}
	const size_t epochs = r->epochs ? r->epochs : 1;
	for (size_t e = 0; e < epochs && status == WS_OK && r->samples == SAMPLES; ++e) {
		const int32_t number = wsi_result_epoch(r, e);
		add(&number, sizeof number);
		for (size_t c = 0; c < r->channels && status == WS_OK; ++c) {
			const int32_t modes = r->mode_count[e * r->channels + c];
			add(&modes, sizeof modes);
			for (int32_t m = -2; m < modes && status == WS_OK; ++m) {
				status = wsi_result_read(r, e, c, (size_t)m, 0, SAMPLES, x);
				add(x, sizeof x);
			}
		}
	}
	wsi_result_close(r);
	return status;
}

/* As hht over a stored result takes its events. */
static ws_status
by_events(const char *path)
{
	wsi_recording *rec;
	WSI_TRY(wsi_stored_open(&rec, path, &(wsi_open_opts){ 0 }));
	add_recording(rec);
	wsi_recording_close(rec);
	return WS_OK;
}

/* As any command takes a result for a recording. */
static ws_status
by_signals(const char *path)
{
	wsi_recording *rec;
	double x[SAMPLES];
	ws_status status = wsi_recording_open(&rec, path, NULL);
	if (status != WS_OK)
		return status;
	add_recording(rec);
	for (size_t c = 0; c < rec->n_channels && status == WS_OK; ++c) {
		const size_t n = rec->channels[c].samples;
		status = wsi_recording_read(rec, 0, c, 0, n < SAMPLES ? n : SAMPLES, x);
		add(x, sizeof x);
	}
	wsi_recording_close(rec);
	return status;
}

static ws_status
by_arrays(const char *path)
{
	wsi_recording *rec;
	ws_status status = wsi_arrays_open(&rec, path, NULL);
	if (status != WS_OK)
		return status;
	add_recording(rec);
	for (size_t i = 0; i < rec->arrays->n_facts; ++i) {
		add_text(rec->arrays->facts[2 * i]);
		add_text(rec->arrays->facts[2 * i + 1]);
	}
	for (size_t i = 0; i < rec->arrays->n && status == WS_OK; ++i) {
		const wsi_stored_array *a = &rec->arrays->items[i];
		add_text(a->name);
		add(a->extent, (size_t)a->rank * sizeof *a->extent);
		double *x = calloc(wsi_stored_length(a) + 1, sizeof *x);
		assert_non_null(x);
		for (size_t line = 0; line < a->lines && status == WS_OK; ++line) {
			status = wsi_arrays_read(rec, a, 0, line, 0, wsi_stored_length(a), x);
			add(x, wsi_stored_length(a) * sizeof *x);
		}
		free(x);
	}
	wsi_recording_close(rec);
	return status;
}

typedef ws_status reader(const char *path);

/* ---- Changes --------------------------------------------------------------------------------- */

static uint64_t seed = 37;

static size_t
random_below(size_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (size_t)(seed % n);
}

static void
changes(const char *what, const wsi_result_header *h, reader *read)
{
	const size_t wanted = getenv("WAVESIFT_SLOW") ? 2000 : 25;
	size_t n, refused = 0, same = 0;
	const char *path = test_path("sums.h5");
	written(path, h);
	unsigned char *bytes = (unsigned char *)content(path, &n);
	const int fd = open(path, O_WRONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	sum = 0;
	if (read(path) != WS_OK)
		fail_msg("%s: %s", what, ws_error_detail());
	const uLong right = sum;
	while (refused < wanted) {
		const size_t at = random_below(n);
		/* Most of what nothing uses is 0. */
		if (bytes[at] == 0 && random_below(8) > 0)
			continue;
		const unsigned char other = (unsigned char)(bytes[at] ^ (1 + random_below(255)));
		assert_int_equal(pwrite(fd, &other, 1, (off_t)at), 1);
		sum = 0;
		if (read(path) != WS_OK)
			++refused;
		else if (sum == right)
			++same;
		else
			fail_msg("%s: byte %zu of %zu made %u instead of %u: another result, and no "
			         "word of it", what, at, n, other, bytes[at]);
		assert_int_equal(pwrite(fd, bytes + at, 1, (off_t)at), 1);
	}
	printf("%s: %zu changes refused, %zu without effect\n", what, refused, same);
	close(fd);
	free(bytes);
}

static void
modes(void **state)
{
	(void)state;
	wsi_result_header h = header(0, WS_F64, WS_F64, 0);
	changes("modes", &h, by_plot);
	changes("events of modes", &h, by_events);
	changes("signals of modes", &h, by_signals);
	h = header(2, WS_F64, WS_F32, 4);
	changes("modes, packed, of epochs", &h, by_plot);
}

static void
arrays(void **state)
{
	(void)state;
	for (int packed = 0; packed < 2; ++packed) {
		wsi_result_header h = header(0, WS_F64, WS_F64, packed ? 4 : 0);
		const ws_fact of_cwt[] = { facts[0], facts[1], facts[2],
			{ .key = "transform", .kind = WS_OPTION_TEXT, .text = "cwt" } };
		h.folder = "cwt";
		h.facts = of_cwt;
		h.n_facts = 4;
		changes(packed ? "arrays, packed" : "arrays", &h, by_arrays);
	}
}

/* No sum covers the text that says that a file is a result. */
static void
no_longer_a_result(void **state)
{
	static reader *const readers[] = { by_plot, by_events, by_signals, by_arrays };
	(void)state;
	size_t n, at = 0;
	const wsi_result_header h = header(0, WS_F64, WS_F64, 0);
	written(test_path("whole.h5"), &h);
	char *bytes = content(test_path("whole.h5"), &n);
	while (at + 15 < n && memcmp(bytes + at, "wavesift result", 15) != 0)
		++at;
	assert_true(at + 15 < n);
	bytes[at] = 'W';
	const char *path = test_file("other.h5", bytes, n);
	for (size_t i = 0; i < sizeof readers / sizeof *readers; ++i) {
		assert_int_equal(readers[i](path), WS_E_FORMAT);
		assert_non_null(strstr(ws_error_detail(), "format does not say that it is one"));
	}
	free(bytes);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(no_longer_a_result),
		cmocka_unit_test(modes), cmocka_unit_test(arrays) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
