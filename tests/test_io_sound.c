/* test_io_sound.c - WAV, AIFF, FLAC, OGG; libsndfile itself writes them. */
#include "io_test.h"

#include <sndfile.h>

__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);

/* libsndfile 1.2 forgets what libvorbis allocated for a damaged OGG header. */
const char *
__lsan_default_suppressions(void)
{
	return "leak:libvorbis\nleak:libogg\nleak:libsndfile\n";
}

#define FRAMES 50000

static double
value(size_t frame, size_t channel)
{
	return 0.5 * sin(0.01 * (double)frame * (double)(channel + 1));
}

static const char *
write_sound(const char *name, int format, int channels)
{
	const char *path = test_path(name);
	SF_INFO info = { .samplerate = 8000, .channels = channels, .format = format };
	SNDFILE *f = sf_open(path, SFM_WRITE, &info);
	assert_non_null(f);
	double frame[8];
	for (size_t i = 0; i < FRAMES; ++i) {
		for (size_t c = 0; c < (size_t)channels; ++c)
			frame[c] = value(i, c);
		assert_int_equal(sf_writef_double(f, frame, 1), 1);
	}
	assert_int_equal(sf_close(f), 0);
	return path;
}

static void
agrees(const char *path, const char *format, size_t channels, double tolerance)
{
	wsi_recording *rec = open_ok(path);
	assert_string_equal(rec->format, format);
	assert_int_equal(rec->n_channels, channels);
	assert_true(rec->fs_known);
	for (size_t c = channels; c-- > 0;) {
		assert_int_equal(rec->channels[c].samples, FRAMES);
		close_to(rec->channels[c].fs, 8000, 0);
		double *x = samples(rec, 0, c);
		for (size_t i = 0; i < FRAMES; ++i)
			close_to(x[i], value(i, c), tolerance);
		/* Pieces out of order are pieces of the whole. */
		double piece[100];
		static const size_t starts[] = { 49900, 40000, 123, 123, 30000, 30100, 0 };
		for (size_t k = 0; k < sizeof starts / sizeof *starts; ++k) {
			assert_int_equal(wsi_recording_read(rec, 0, c, starts[k], 100, piece), WS_OK);
			assert_memory_equal(piece, x + starts[k], sizeof piece);
		}
		free(x);
	}
	wsi_recording_close(rec);
}

static void
formats(void **state)
{
	(void)state;
	agrees(write_sound("a.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_16, 2), "WAV", 2, 1.0 / 32768);
	agrees(write_sound("f.wav", SF_FORMAT_WAV | SF_FORMAT_FLOAT, 3), "WAV", 3, 1e-7);
	agrees(write_sound("d.wav", SF_FORMAT_WAV | SF_FORMAT_DOUBLE, 1), "WAV", 1, 0);
	agrees(write_sound("r.wav", SF_FORMAT_RF64 | SF_FORMAT_PCM_24, 2), "RF64", 2, 1.0 / 8388608);
	agrees(write_sound("noname", SF_FORMAT_AIFF | SF_FORMAT_PCM_16, 2), "AIFF", 2, 1.0 / 32768);
	agrees(write_sound("a.flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_16, 2), "FLAC", 2, 1.0 / 32768);
	agrees(write_sound("a.ogg", SF_FORMAT_OGG | SF_FORMAT_VORBIS, 2), "OGG", 2, 0.05);
}

/* What was kept while the first channel was read is what decoding gives. */
static void
any_order_of_channels(void **state)
{
	(void)state;
	static const int kinds[] = { SF_FORMAT_FLAC | SF_FORMAT_PCM_16,
		SF_FORMAT_FLAC | SF_FORMAT_PCM_24, SF_FORMAT_OGG | SF_FORMAT_VORBIS };
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
		const char *path = write_sound(k < 2 ? "o.flac" : "o.ogg", kinds[k], 3);
		wsi_recording *rising = open_ok(path), *falling = open_ok(path);
		double *decoded[3];
		for (size_t c = 3; c-- > 0;)
			decoded[c] = samples(falling, 0, c);
		/* The second channel before the first was read to its end, too. */
		double *x = calloc(FRAMES, sizeof *x);
		assert_non_null(x);
		assert_int_equal(wsi_recording_read(rising, 0, 0, 0, 30000, x), WS_OK);
		assert_int_equal(wsi_recording_read(rising, 0, 1, 100, 40000, x), WS_OK);
		assert_memory_equal(x, decoded[1] + 100, 40000 * sizeof *x);
		for (size_t c = 0; c < 3; ++c) {
			assert_int_equal(wsi_recording_read(rising, 0, c, 0, FRAMES, x), WS_OK);
			assert_memory_equal(x, decoded[c], FRAMES * sizeof *x);
			assert_int_equal(wsi_recording_read(rising, 0, c, 777, 999, x), WS_OK);
			assert_memory_equal(x, decoded[c] + 777, 999 * sizeof *x);
			free(decoded[c]);
		}
		free(x);
		wsi_recording_close(rising);
		wsi_recording_close(falling);
	}
}

static size_t
read_file(const char *path, unsigned char *bytes, size_t room)
{
	FILE *f = fopen(path, "rb");
	assert_non_null(f);
	const size_t n = fread(bytes, 1, room, f);
	fclose(f);
	return n;
}

static void
damage(void **state)
{
	(void)state;
	static unsigned char bytes[1 << 20];
	static const struct {
		const char *name;
		int format;
	} kinds[] = { { "a.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_16 },
	              { "a.aiff", SF_FORMAT_AIFF | SF_FORMAT_PCM_16 },
	              { "a.flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_16 },
	              { "a.ogg", SF_FORMAT_OGG | SF_FORMAT_VORBIS } };
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
		const size_t n = read_file(write_sound(kinds[k].name, kinds[k].format, 1), bytes, sizeof bytes);
		/* The header densely, the rest here and there. */
		survives_truncation(kinds[k].name, bytes, n < 2000 ? n : 2000, 97, NULL);
		survives_truncation(kinds[k].name, bytes, n, n / 7, NULL);
	}
	refused(test_file("b.wav", "RIFF\4\0\0\0WAVE", 12), WS_E_FORMAT, "cannot be decoded");
	refused(test_text("b.flac", "fLaC\n"), WS_E_FORMAT, "neither WAV");
	refused(test_file("b.wav", "\377\373\220\144 as MP3 starts", 18), WS_E_FORMAT, "neither WAV");
	/* A header that promises 2^36 - 1 frames in the few bytes there are. */
	const size_t n = read_file(write_sound("a.flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_16, 1), bytes,
	                           sizeof bytes);
	bytes[21] |= 0x0f;
	memset(bytes + 22, 0xff, 4);
	refused(test_file("a.flac", bytes, n), WS_E_FORMAT, "promises 68719476735 frames");
}

static void
lacking_samples_are_told(void **state)
{
	(void)state;
	static unsigned char bytes[1 << 20];
	static const struct {
		const char *name;
		int format;
	} kinds[] = { { "a.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_16 },
	              { "a.aiff", SF_FORMAT_AIFF | SF_FORMAT_PCM_16 } };
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
		const char *path = write_sound(kinds[k].name, kinds[k].format, 1);
		noted(path, NULL);
		const size_t n = read_file(path, bytes, sizeof bytes);
		noted(test_file(kinds[k].name, bytes, n / 2), " bytes of samples, the file holds ");
	}
	/* A size that a program wrote to a pipe before it knew: the length of the file
	 * is meant. */
	const size_t n = read_file(write_sound("a.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_16, 1), bytes,
	                           sizeof bytes);
	assert_memory_equal(bytes + 36, "data", 4);
	memset(bytes + 40, 0xff, 4);
	noted(test_file("a.wav", bytes, n), "it says 4294967295); all 100000 up to the file's end");
	/* The last page of an OGG tells its length. */
	const size_t all = read_file(write_sound("a.ogg", SF_FORMAT_OGG | SF_FORMAT_VORBIS, 6), bytes,
	                             sizeof bytes);
	noted(test_file("a.ogg", bytes, all - 50), "it was cut short or never finished; the ");
	refused(test_file("a.ogg", bytes, all / 9), WS_E_FORMAT, "be decoded");
}

static void
set_size(unsigned char *at, uint64_t size, size_t n, bool big_endian)
{
	for (size_t i = 0; i < n; ++i)
		at[big_endian ? n - 1 - i : i] = (unsigned char)(size >> (8 * i));
}

static size_t
find(const unsigned char *bytes, size_t n, const char *id)
{
	for (size_t i = 0; i + 4 <= n; ++i)
		if (memcmp(bytes + i, id, 4) == 0)
			return i;
	fail_msg("no chunk %s", id);
	return 0;
}

/* Sizes of samples that a recorder that died, or a pipe, leaves: all samples are read. */
static void
samples_that_no_header_tells_of(void **state)
{
	(void)state;
	static unsigned char bytes[1 << 20];
	static const struct {
		const char *name, *id, *format;
		int kind;
		size_t channels, at, width;
		double tolerance;
	} kinds[] = {
		{ "0.wav", "data", "WAV", SF_FORMAT_WAV | SF_FORMAT_PCM_16, 2, 4, 4, 1.0 / 32768 },
		{ "f.wav", "data", "WAV", SF_FORMAT_WAV | SF_FORMAT_FLOAT, 3, 4, 4, 1e-7 },
		{ "x.wav", "data", "WAV", SF_FORMAT_WAVEX | SF_FORMAT_PCM_24, 1, 4, 4, 1.0 / 8388608 },
		{ "u.wav", "data", "WAV", SF_FORMAT_WAV | SF_FORMAT_ULAW, 1, 4, 4, 0.04 },
		{ "r.wav", "ds64", "RF64", SF_FORMAT_RF64 | SF_FORMAT_PCM_16, 2, 16, 8, 1.0 / 32768 },
		{ "0.aif", "SSND", "AIFF", SF_FORMAT_AIFF | SF_FORMAT_PCM_16, 2, 4, 4, 1.0 / 32768 },
	};
	static const uint64_t sizes[] = { 0, UINT32_MAX, 0x7fffffff, 0xfffffff0 };
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
		const char *path = write_sound(kinds[k].name, kinds[k].kind, (int)kinds[k].channels);
		const size_t n = read_file(path, bytes, sizeof bytes);
		const bool aiff = strcmp(kinds[k].format, "AIFF") == 0;
		noted(path, NULL);
		for (size_t i = 0; i < 4; ++i) {
			/* It has not told the size of the whole either. */
			if (i == 0)
				memset(bytes + 4, 0, 4);
			set_size(bytes + find(bytes, n, kinds[k].id) + kinds[k].at, sizes[i],
			         kinds[k].width, aiff);
			path = test_file(kinds[k].name, bytes, n);
			noted(path, "the header does not tell how many bytes of samples there are");
			agrees(path, kinds[k].format, kinds[k].channels, kinds[k].tolerance);
		}
	}
}

/* Past 4 GiB a size begins anew.  Of zeros: the file has holes. */
static void
more_than_four_gib(void **state)
{
	(void)state;
	unsigned char bytes[1000];
	double few[3];
	const size_t n = read_file(write_sound("a.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_16, 2), bytes,
	                           sizeof bytes);
	assert_memory_equal(bytes + 36, "data", 4);
	const uint64_t all = ((uint64_t)1 << 32) + 8000;
	set_size(bytes + 40, (uint32_t)all, 4, false);
	const char *path = test_file("big.wav", bytes, n);
	assert_int_equal(truncate(path, (off_t)(44 + all)), 0);
	FILE *f = fopen(path, "r+b");
	assert_non_null(f);
	assert_int_equal(fseek(f, (long)(44 + all - 4), SEEK_SET), 0);
	assert_int_equal(fwrite("\0\x40\0\x20", 1, 4, f), 4);
	fclose(f);
	noted(path, "8000 bytes of samples, which is what is left over past 4 GiB; 4294975296 are");
	wsi_recording *rec = open_ok(path);
	assert_string_equal(rec->format, "WAV");
	assert_int_equal(rec->channels[1].samples, all / 4);
	assert_int_equal(wsi_recording_read(rec, 0, 0, 0, 3, few), WS_OK);
	for (size_t i = 0; i < 3; ++i)
		close_to(few[i], value(i, 0), 1.0 / 32768);
	close_to(sample(rec, 0, 0, all / 4 - 1), 0.5, 0);
	close_to(sample(rec, 0, 1, all / 4 - 1), 0.25, 0);
	wsi_recording_close(rec);
	remove(path);
}

/* What follows the samples is told, unless it is chunks. */
static void
behind_the_samples(void **state)
{
	(void)state;
	static unsigned char bytes[1 << 20];
	const size_t n = read_file(write_sound("a.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_16, 1), bytes,
	                           sizeof bytes);
	memcpy(bytes + n, "LIST\4\0\0\0INFOnote\1\0\0\0x\0", 22);
	noted(test_file("c.wav", bytes, n + 22), NULL);
	noted(test_file("c.wav", bytes, n + 21), NULL);
	agrees(test_path("c.wav"), "WAV", 1, 1.0 / 32768);
	memcpy(bytes + n, "TAGtitle of a player without a chunk", 36);
	noted(test_file("c.wav", bytes, n + 36), "36 bytes follow the 100000 of samples");
	agrees(test_path("c.wav"), "WAV", 1, 1.0 / 32768);
}

/* Markers of WAV, before or behind the samples, are events; a label may lack, or be too long. */
static void
markers(void **state)
{
	(void)state;
	static const char chunks[] = "cue \x4c\0\0\0\3\0\0\0"
		"\1\0\0\0\0\0\0\0data\0\0\0\0\0\0\0\0\x40\x1f\0\0"
		"\2\0\0\0\0\0\0\0data\0\0\0\0\0\0\0\0\xd0\x07\0\0"
		"\7\0\0\0\0\0\0\0data\0\0\0\0\0\0\0\0\xa0\x0f\0\0"
		"LIST\x2c\1\0\0adtllabl\x0a\0\0\0\1\0\0\0a, b\0\0labl\x0e\1\0\0\2\0\0\0";
	static unsigned char bytes[1 << 20], all[1 << 20];
	const size_t n = read_file(write_sound("a.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_16, 1), bytes,
	                           sizeof bytes), more = sizeof chunks - 1;
	assert_memory_equal(bytes + 36, "data", 4);
	for (int behind = 0; behind < 2; ++behind) {
		const size_t at = behind ? n : 36, size = more + 266;
		memcpy(all, bytes, at);
		memcpy(all + at, chunks, more);
		memset(all + at + more, 'x', 265);
		all[at + more + 265] = 0;
		memcpy(all + at + size, bytes + at, n - at);
		set_size(all + 4, (uint32_t)(n + size - 8), 4, false);
		const char *path = test_file("m.wav", all, n + size);
		noted(path, "1 event are longer than names may be");
		agrees(path, "WAV", 1, 1.0 / 32768);
		wsi_recording *rec = open_ok(path);
		assert_int_equal(rec->n_events, 3);
		close_to(rec->events[0].onset, 0.25, 0);
		assert_string_equal(rec->events[1].label, "7");
		close_to(rec->events[2].onset, 1, 0);
		assert_string_equal(rec->events[2].label, "a, b");
		wsi_recording_close(rec);
	}
}

/* A FLAC that went to a pipe. */
static void
flac_without_a_length(void **state)
{
	(void)state;
	static unsigned char bytes[1 << 20];
	const size_t n = read_file(write_sound("p.flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_16, 2), bytes,
	                           sizeof bytes);
	bytes[21] &= 0xf0;
	memset(bytes + 22, 0, 4 + 16);
	const char *path = test_file("p.flac", bytes, n);
	noted(path, "does not tell its length");
	agrees(path, "FLAC", 2, 1.0 / 32768);
}

/* Frames of few bytes, some of whose CRC end in 0. */
static void
silent_flac(void **state)
{
	(void)state;
	static const double zeros[1000];
	unsigned char bytes[1 << 14];
	size_t found = 0;
	for (int n = 20; n < 1000; ++n) {
		SF_INFO info = { .samplerate = 8000, .channels = 1,
			.format = SF_FORMAT_FLAC | SF_FORMAT_PCM_16 };
		SNDFILE *f = sf_open(test_path("z.flac"), SFM_WRITE, &info);
		assert_int_equal(sf_writef_double(f, zeros, n), n);
		assert_int_equal(sf_close(f), 0);
		const size_t size = read_file(test_path("z.flac"), bytes, sizeof bytes);
		if (n > 25 && bytes[size - 1] != 0)
			continue;
		noted(test_path("z.flac"), NULL);
		found += bytes[size - 1] == 0;
	}
	assert_true(found > 0);
}

/* Frames of each count from 0, so that seeking may not see the others. */
static void
flac_behind_flac(void **state)
{
	(void)state;
	enum { MOST = 1 << 20 };
	static unsigned char bytes[3 * MOST];
	const size_t n = read_file(write_sound("p.flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_16, 2), bytes,
	                           MOST);
	assert_true(n < MOST);
	memcpy(bytes + n, bytes, n);
	memcpy(bytes + 2 * n, bytes, n);
	noted(test_file("p.flac", bytes, n), NULL);
	/* Bytes that are none, also zeros, which a CRC does not see. */
	for (unsigned char c = 0; c < 3; ++c) {
		memset(bytes + n, c ? 'a' + c : 0, 7);
		const char *more = test_file("p.flac", bytes, n + 7);
		noted(more, "bytes follow the last frame that the header tells of");
		agrees(more, "FLAC", 2, 1.0 / 32768);
	}
	memcpy(bytes + n, bytes, n);
	const char *path = test_file("p.flac", bytes, 2 * n);
	noted(path, "1 more recording lies behind the one that is read");
	agrees(path, "FLAC", 2, 1.0 / 32768);
	path = test_file("p.flac", bytes, 3 * n);
	noted(path, "2 more recordings lie behind");
	agrees(path, "FLAC", 2, 1.0 / 32768);
	/* The first that does not tell its length ends where the second begins. */
	bytes[21] &= 0xf0;
	memset(bytes + 22, 0, 4 + 16);
	path = test_file("p.flac", bytes, 2 * n);
	noted(path, "1 more recording lies behind");
	agrees(path, "FLAC", 2, 1.0 / 32768);
	/* Metadata may hold what looks like one: an APPLICATION behind STREAMINFO. */
	unsigned char *with = bytes + MOST;
	read_file(write_sound("p.flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_16, 2), bytes, MOST);
	const unsigned char block[4] = { 2, 0, 0, 4 + 42 };
	memcpy(with, bytes, 42);
	with[4] &= 0x7f;
	memcpy(with + 42, block, sizeof block);
	memcpy(with + 46, "test", 4);
	memcpy(with + 50, bytes, 42);
	memcpy(with + 92, bytes + 42, n - 42);
	noted(test_file("p.flac", with, n + 50), NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formats),
		cmocka_unit_test(any_order_of_channels),
		cmocka_unit_test(damage),
		cmocka_unit_test(lacking_samples_are_told),
		cmocka_unit_test(samples_that_no_header_tells_of),
		cmocka_unit_test(more_than_four_gib),
		cmocka_unit_test(behind_the_samples),
		cmocka_unit_test(markers),
		cmocka_unit_test(flac_without_a_length),
		cmocka_unit_test(silent_flac),
		cmocka_unit_test(flac_behind_flac),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
