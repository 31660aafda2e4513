/* test_io_raw.c - plain binary as the user describes it. */
#include "io_test.h"

static wsi_recording *
open_raw(const void *bytes, size_t n, const char *description)
{
	return open_with(test_file("r.bin", bytes, n), &(wsi_open_opts){ .raw = description });
}

static void
value_is(const void *bytes, size_t n, const char *description, size_t channel, size_t at,
         double expected)
{
	wsi_recording *rec = open_raw(bytes, n, description);
	close_to(sample(rec, 0, channel, at), expected, 0);
	wsi_recording_close(rec);
}

static void
types(void **state)
{
	(void)state;
	static const char b[] = "\x01\x80\xff\xfe\x00\x7f\x10\xc0";
	value_is(b, 8, "i8", 0, 1, -128);
	value_is(b, 8, "u8", 0, 1, 128);
	value_is(b, 8, "i16", 0, 1, -257);
	value_is(b, 8, "u16", 0, 1, 65279);
	value_is(b, 8, "i16,endian=big", 0, 1, -2);
	value_is(b, 8, "u16,endian=big", 0, 0, 384);
	value_is(b, 8, "i32", 0, 0, -16809983);
	value_is(b, 8, "u32,endian=little", 0, 0, 4278157313.0);
	value_is((float[]){ 1.5f, -2.5f }, 8, "f32", 0, 1, -2.5);
	value_is((double[]){ 1e300 }, 8, "f64", 0, 0, 1e300);
	value_is("\x3f\xf8\0\0\0\0\0\0", 8, "f64,endian=big", 0, 0, 1.5);
}

static void
orders(void **state)
{
	(void)state;
	static const unsigned char b[] = { 9, 9, 1, 2, 3, 4, 5, 6 };
	wsi_recording *rec = open_raw(b, 8, "u8,channels=2,order=channel,skip=2");
	assert_string_equal(rec->format, "raw");
	assert_int_equal(rec->n_channels, 2);
	assert_int_equal(rec->channels[0].samples, 3);
	assert_false(rec->fs_known);
	close_to(sample(rec, 0, 1, 0), 4, 0);
	wsi_recording_close(rec);
	rec = open_raw(b, 8, "u8,order=sample,skip=2,channels=2");
	close_to(sample(rec, 0, 1, 0), 2, 0);
	close_to(sample(rec, 0, 0, 2), 5, 0);
	wsi_recording_close(rec);
	/* A frame larger than the read buffer. */
	const size_t n = 3 * 100000;
	unsigned char *big = calloc(n, 1);
	assert_non_null(big);
	big[200000 + 77] = 42;
	value_is(big, n, "u8,channels=100000,order=sample", 77, 2, 42);
	free(big);
}

static void
not_understood(const char *description, const char *word)
{
	refused_with(test_file("r.bin", "12345678", 8), &(wsi_open_opts){ .raw = description },
	             WS_E_ARG, word);
}

static void
refusals(void **state)
{
	(void)state;
	not_understood("", "'' is no sample type");
	not_understood("f16", "'f16' is no sample type");
	not_understood("channels=2,f32", "'channels=2' is no sample type");
	not_understood("f32,channels=0", "'channels=0'");
	not_understood("f32,channels=-1", "'channels=-1'");
	not_understood("f32,channels=2x,order=channel", "'channels=2x'");
	not_understood("f32,channels=99999999999999999999,order=channel", "is not understood");
	not_understood("f32,skip=-4", "'skip=-4'");
	not_understood("f32,order=time", "'order=time'");
	not_understood("f32,endian=middle", "'endian=middle'");
	not_understood("f32,colour=red", "'colour=red'");
	not_understood("f32,channels=2", "2 channels need order=");
	const char *path = test_file("r.bin", "12345678", 8);
	refused_with(path, &(wsi_open_opts){ .raw = "f32,channels=3,order=channel" }, WS_E_FORMAT,
	             "8 bytes (after skip=0) are not a whole number of samples of 3 channels x 4");
	refused_with(path, &(wsi_open_opts){ .raw = "u8,skip=8" }, WS_E_FORMAT, "skip=8 leaves none");
	refused_with(path, &(wsi_open_opts){ .raw = "f64,channels=9223372036854775807,order=sample" },
	             WS_E_FORMAT, "not a whole number");
	refused_with(test_path("absent.bin"), &(wsi_open_opts){ .raw = "u8" }, WS_E_IO,
	             "cannot be opened");
}

static void
abuse(void **state)
{
	(void)state;
	static const char description[] = "i16,channels=2,order=sample,skip=4,endian=big";
	const char *path = test_file("r.bin", "0123456789abcdef0123", 20);
	for (size_t n = 0; n < sizeof description; ++n) {
		char cut[sizeof description];
		memcpy(cut, description, n);
		cut[n] = '\0';
		survives(path, &(wsi_open_opts){ .raw = cut });
	}
	survives_truncation("r.bin", "0123456789abcdef0123", 20, 1,
	                    &(wsi_open_opts){ .raw = description });
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types),    cmocka_unit_test(orders), cmocka_unit_test(refusals),
		cmocka_unit_test(abuse),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
