/* test_io_joined.c - a result that two writers write: one that opens it, and one that joins it. */
#include <errno.h>

#include "io_test.h"

#include <hdf5.h>

#include "io/hdf5/h5_sums.h"
#include "io/write/behind.h"
#include "io/write/writer_format.h"

/* Rows that have places, in f32, too, and do not end with a page. */
enum { CHANNELS = 3, ROWS = 4, TIMES = 20011, FEW = 100 };
enum { SIGNAL, POWER, SPECTRUM, SHORT, LEVEL, N_ARRAYS };

static ws_array arrays[N_ARRAYS];

static void
declare(int which, const char *name, ws_type type, unsigned flags, size_t entries, size_t rows,
        size_t n)
{
	ws_array *a = &arrays[which];
	*a = (ws_array){ .size = sizeof *a, .name = name, .text = "", .type = type, .flags = flags,
		.rank = 1, .axis = { WS_AXIS_CHANNEL }, .extent = { entries } };
	if (rows) {
		a->axis[a->rank] = WS_AXIS_MASK;
		a->extent[a->rank++] = rows;
	}
	if (n) {
		a->axis[a->rank] = WS_AXIS_TIME;
		a->extent[a->rank++] = n;
	}
}

static wsi_result_header
header(size_t epochs, ws_type store, int compress)
{
	const size_t entries = CHANNELS * (epochs ? epochs : 1);
	declare(SIGNAL, "signal", WS_F64, WS_ARRAY_SIGNAL, entries, 0, TIMES);
	declare(POWER, "power", WS_F64, WS_ARRAY_MAIN, entries, ROWS, TIMES);
	declare(SPECTRUM, "spectrum", WS_C128, 0, entries, ROWS, TIMES);
	declare(SHORT, "short", WS_F64, 0, entries, ROWS, FEW);
	declare(LEVEL, "level", WS_F64, 0, entries, ROWS, 0);
	static const char *const names[CHANNELS] = { "A", "B", "C" };
	return (wsi_result_header){ .epochs = epochs, .channels = CHANNELS, .samples = TIMES,
		.arrays = arrays, .n_arrays = N_ARRAYS, .type = WS_F64, .store = store,
		.compress = compress, .fs = 100, .fs_known = true, .channel_names = names };
}

/* Rows first .. first + n - 1 of a channel. */
typedef struct part {
	double *data[N_ARRAYS];
	ws_slab slabs[N_ARRAYS];
	ws_channel_result result;
} part;

static void
make(part *p, size_t entry, size_t first, size_t n)
{
	for (int i = 0; i < N_ARRAYS; ++i) {
		const ws_array *a = &arrays[i];
		const bool rows = a->axis[1] == WS_AXIS_MASK;
		const size_t parts = a->type == WS_C128 ? 2 : 1;
		const size_t times = a->axis[a->rank - 1] == WS_AXIS_TIME ? a->extent[a->rank - 1] : 1;
		const size_t some = rows ? n : 1, from = rows ? first : 0;
		p->data[i] = malloc(some * times * parts * sizeof(double));
		for (size_t k = 0; k < some * times * parts; ++k)
			p->data[i][k] = (double)((entry * ROWS + from) * times * parts + k + 1) * (i + 1);
		p->slabs[i] = (ws_slab){ .size = sizeof(ws_slab), .data = p->data[i],
			.first = { from }, .extent = { some, times } };
		if (!rows)
			p->slabs[i] = (ws_slab){ .size = sizeof(ws_slab), .data = p->data[i],
				.extent = { times } };
	}
	p->result = (ws_channel_result){ .size = sizeof p->result, .channel = entry,
		.slabs = p->slabs, .n_slabs = N_ARRAYS };
}

static void
release(part *p)
{
	for (int i = 0; i < N_ARRAYS; ++i)
		free(p->data[i]);
}

/* What a rank does: writes what has a place, and tells the first all else, and the sums. */
static void
put_by(wsi_writer *other, wsi_writer *w, part *p, int written)
{
	const uint32_t *sums[N_ARRAYS];
	size_t n;
	int found = 0;
	assert_int_equal(wsi_writer_put(other, &p->result), WS_OK);
	for (int i = 0; i < N_ARRAYS; ++i) {
		sums[i] = wsi_writer_sums(other, (size_t)i, &n);
		found += sums[i] != NULL;
		if (!sums[i])
			continue;
		p->slabs[i].data = NULL;
		assert_null(wsi_writer_sums(other, (size_t)i, &n));
	}
	assert_int_equal(found, written);
	wsi_writer_expect(w, sums);
	assert_int_equal(wsi_writer_put(w, &p->result), WS_OK);
	wsi_writer_expect(w, NULL);
}

static void
finish(wsi_writer *w)
{
	wsi_complete files[2];
	assert_int_equal(wsi_writer_finish(w, NULL, 0), WS_OK);
	assert_int_equal(wsi_writer_complete(w, files), 1);
	assert_int_equal(wsi_put_in_place(files, 1), WS_OK);
	wsi_writer_abort(w);
}

static void
write_alone(const char *path, const wsi_result_header *h)
{
	wsi_writer *w;
	assert_int_equal(wsi_writer_open(&w, path, h, true), WS_OK);
	for (size_t entry = 0; entry < arrays[0].extent[0]; ++entry) {
		part p;
		make(&p, entry, 0, ROWS);
		assert_int_equal(wsi_writer_put(w, &p.result), WS_OK);
		release(&p);
	}
	finish(w);
}

/* Every second channel is the other's, and of channel 1 a part each. */
static void
write_together(const char *path, const wsi_result_header *h)
{
	wsi_writer *w, *other;
	wsi_places places;
	assert_int_equal(wsi_writer_open(&w, path, h, true), WS_OK);
	assert_int_equal(wsi_writer_places(w, &places), WS_OK);
	assert_int_equal(places.n, arrays[0].extent[0] * (1 + 2 * ROWS));
	for (size_t i = 0; i < places.n; ++i)
		assert_int_equal(places.at[i] % WSI_BEHIND_PAGE, 0);
	assert_int_equal(wsi_writer_join(&other, path, h, &places), WS_OK);
	free(places.at);
	for (size_t entry = arrays[0].extent[0]; entry-- > 0;) {
		part p;
		const size_t own = entry == 1 ? 1 : entry % 2 ? ROWS : 0;
		if (own < ROWS) {
			make(&p, entry, own, ROWS - own);
			put_by(other, w, &p, 3);
			release(&p);
		}
		if (own > 0) {
			make(&p, entry, 0, own);
			assert_int_equal(wsi_writer_put(w, &p.result), WS_OK);
			release(&p);
		}
	}
	assert_int_equal(wsi_writer_settle(other), WS_OK);
	wsi_writer_abort(other);
	finish(w);
}

static void *
read_file(const char *path, size_t *bytes)
{
	FILE *f = fopen(path, "rb");
	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	*bytes = (size_t)ftell(f);
	rewind(f);
	char *all = malloc(*bytes + 1);
	assert_int_equal(fread(all, 1, *bytes, f), *bytes);
	fclose(f);
	return all;
}

static void
test_two_writers(void **state)
{
	(void)state;
	for (size_t epochs = 0; epochs < 3; epochs += 2)
		for (int store = WS_F64; store <= WS_F32; ++store) {
			const wsi_result_header h = header(epochs, (ws_type)store, 0);
			size_t n[2], arrays_checked, chunks;
			char one[512], two[512];
			snprintf(one, sizeof one, "%s", test_path("alone.h5"));
			snprintf(two, sizeof two, "%s", test_path("together.h5"));
			write_alone(one, &h);
			write_together(two, &h);
			/* The same bytes: nothing lies in the order in which it came. */
			char *a = read_file(one, &n[0]), *b = read_file(two, &n[1]);
			assert_int_equal(n[0], n[1]);
			assert_memory_equal(a, b, n[0]);
			free(a);
			free(b);
			assert_int_equal(wsi_h5_sums_verify(two, two, 0, &arrays_checked, &chunks),
			                 WS_OK);
			assert_true(chunks > arrays[0].extent[0] * (1 + 2 * ROWS));
		}
}

/* What is compressed, of another format, or short has no place. */
static void
test_no_places(void **state)
{
	(void)state;
	static const char *const paths[] = { "deflate.h5", "rows.npy", "rows.csv", "rows.mat" };
	for (size_t i = 0; i < sizeof paths / sizeof *paths; ++i) {
		const wsi_result_header h = header(0, WS_F64, i == 0 ? 4 : 0);
		wsi_writer *w;
		wsi_places places;
		assert_int_equal(wsi_writer_open(&w, test_path(paths[i]), &h, true), WS_OK);
		assert_int_equal(wsi_writer_places(w, &places), WS_OK);
		assert_int_equal(places.n, 0);
		free(places.at);
		wsi_writer_abort(w);
	}
}

/* A name that is no such file, another file of the name, and one that is of another shape. */
static void
test_refused(void **state)
{
	(void)state;
	const wsi_result_header h = header(0, WS_F64, 0), more = header(2, WS_F64, 0);
	wsi_writer *w, *other;
	wsi_places places;
	(void)header(0, WS_F64, 0);
	assert_int_equal(wsi_writer_open(&w, test_path("first.h5"), &h, true), WS_OK);
	assert_int_equal(wsi_writer_places(w, &places), WS_OK);
	wsi_places wrong = places;
	wrong.inode++;
	assert_int_equal(wsi_writer_join(&other, test_path("first.h5"), &h, &wrong), WS_E_IO);
	assert_null(other);
	wrong = places;
	strcpy(wrong.temp, "../first.h5");
	assert_int_equal(wsi_writer_join(&other, test_path("first.h5"), &h, &wrong), WS_E_IO);
	(void)header(2, WS_F64, 0);
	assert_int_equal(wsi_writer_join(&other, test_path("first.h5"), &more, &places), WS_E_ARG);
	assert_int_equal(wsi_newfile_join(&(wsi_newfile){ 0 }, test_path("first.h5"), "absent", 1),
	                 ENOENT);
	free(places.at);
	wsi_writer_abort(w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_writers),
		cmocka_unit_test(test_no_places),
		cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
