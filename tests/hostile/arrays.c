/* arrays.c - results of wavelets that are whole, but not what readers expect; see hostile.h. */
#include "hostile.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { CHANNELS = 2, FREQUENCIES = 4, OUTPUTS = 60, MANY = 1100 };

static void
put_word(hid_t object, const char *name, const char *text)
{
	hid_t type = H5Tcopy(H5T_C_S1), one = H5Screate(H5S_SCALAR);
	H5Tset_size(type, strlen(text) + 1);
	hid_t a = H5Acreate2(object, name, type, one, H5P_DEFAULT, H5P_DEFAULT);
	assert_true(H5Awrite(a, type, text) >= 0);
	H5Aclose(a);
	H5Sclose(one);
	H5Tclose(type);
}

static void
put_number(hid_t object, const char *name, double value)
{
	hid_t one = H5Screate(H5S_SCALAR);
	hid_t a = H5Acreate2(object, name, H5T_IEEE_F64LE, one, H5P_DEFAULT, H5P_DEFAULT);
	assert_true(H5Awrite(a, H5T_NATIVE_DOUBLE, &value) >= 0);
	H5Aclose(a);
	H5Sclose(one);
}

/* values NULL: never written. */
static void
put_reals(hid_t at, const char *name, int rank, const hsize_t *dims, const double *values)
{
	hid_t space = H5Screate_simple(rank, dims, NULL);
	hid_t data = H5Dcreate2(at, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT,
	                        H5P_DEFAULT);
	assert_true(data >= 0);
	if (values)
		assert_true(H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
		                     values) >= 0);
	H5Dclose(data);
	H5Sclose(space);
}

static void
put_channels(hid_t at)
{
	const hsize_t n = CHANNELS;
	const char names[CHANNELS] = { 'A', '\x1b' };
	hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &n, NULL);
	hid_t data = H5Dcreate2(at, "channel", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
	assert_true(H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, names) >= 0);
	H5Dclose(data);
	H5Sclose(space);
	H5Tclose(type);
}

static bool
is(const char *text, const char *what)
{
	return strcmp(text, what) == 0;
}

static void
put_frequencies(hid_t at, const char *text)
{
	static const double good[] = { 8, 4, 2, 1, 0.5 }, bad[] = { 8, 0, 2, 1 };
	const hsize_t n = is(text, "frequency: too many") ? FREQUENCIES + 1
	                  : is(text, "power: no frequency") ? 0 : FREQUENCIES;
	if (!is(text, "frequency: none"))
		put_reals(at, "frequency", 1, &n, is(text, "frequency: zero") ? bad : n ? good
		          : NULL);
}

/* The array, and what else of its folder is wrong. */
static void
put_power(hid_t at, const char *text)
{
	static double values[CHANNELS * FREQUENCIES * OUTPUTS];
	const hsize_t n[] = { CHANNELS, FREQUENCIES, OUTPUTS };
	const hsize_t fewer[] = { CHANNELS, 0, OUTPUTS }, more[] = { 3, FREQUENCIES, OUTPUTS };
	const hsize_t huge[] = { CHANNELS, FREQUENCIES, (hsize_t)1 << 40 };
	const hsize_t epochs[] = { 3, CHANNELS, FREQUENCIES, OUTPUTS };
	for (size_t i = 0; i < sizeof values / sizeof *values; ++i)
		values[i] = i % 11 ? (double)(i % 7) : HUGE_VAL;
	if (is(text, "power: elsewhere"))
		H5Lcreate_external("/etc/passwd", "/x", at, "power", H5P_DEFAULT, H5P_DEFAULT);
	else if (is(text, "power: a link to nothing"))
		H5Lcreate_soft("/nowhere", at, "power", H5P_DEFAULT, H5P_DEFAULT);
	else if (is(text, "power: no frequency"))
		put_reals(at, "power", 3, fewer, NULL);
	else if (is(text, "power: of three channels"))
		put_reals(at, "power", 3, more, NULL);
	else if (is(text, "power: huge"))
		put_reals(at, "power", 3, huge, NULL);
	else if (is(text, "power: flat"))
		put_reals(at, "power", 2, n, NULL);
	else if (strncmp(text, "epoch", 5) == 0)
		put_reals(at, "power", 4, epochs, NULL);
	else
		put_reals(at, is(text, "octave") ? "power_1" : "power", 3, n, values);
	if (is(text, "epoch: zeros"))
		put_reals(at, "epoch", 1, epochs, NULL);
	if (is(text, "cone: long"))
		put_reals(at, "cone", 2, n, NULL);
	char name[24];
	for (int i = 0; i < MANY && is(text, "arrays: many"); ++i) {
		snprintf(name, sizeof name, "x%d", i);
		put_reals(at, name, 1, n, NULL);
	}
}

static void
put_facts(hid_t at, const char *text)
{
	char name[24];
	put_word(at, "transform", is(text, "transform: not known") ? "cwx"
	         : is(text, "transform: a way") ? "../cwt"
	         : strncmp(text, "against", 7) == 0 ? "coherence" : "cwt");
	put_word(at, "title", "\x1b[31mWavelets\x1b[0m of a file\n");
	if (strncmp(text, "against", 7) == 0)
		put_word(at, "against", is(text, "against: a far one") ? "9" : "x,");
	for (int i = 0; i < MANY && is(text, "facts: many"); ++i) {
		snprintf(name, sizeof name, "x%d", i);
		put_number(at, name, i);
	}
}

void
odd_arrays(hid_t file, const char *text)
{
	put_word(file, "format", "wavesift result");
	put_number(file, "fs", is(text, "fs") ? -1 : 16);
	put_number(file, "samples", is(text, "samples: few") ? 7
	           : is(text, "samples: no number") ? 0.0 / 0.0
	           : is(text, "samples: huge") ? 1e300 : OUTPUTS);
	hid_t facts = H5Gcreate2(file, "provenance", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
	hid_t group = H5Gcreate2(file, is(text, "transform: not known") ? "cwx"
	                         : strncmp(text, "against", 7) == 0 ? "coherence" : "cwt",
	                         H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
	put_facts(facts, text);
	if (!is(text, "channel: none"))
		put_channels(group);
	if (is(text, "events: elsewhere"))
		H5Lcreate_external("/etc/passwd", "/x", file, "events", H5P_DEFAULT, H5P_DEFAULT);
	put_frequencies(group, text);
	put_power(group, text);
	H5Gclose(group);
	H5Gclose(facts);
}
