/* files.c - makers of hostile files; see hostile.h. */
#include "hostile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <hdf5.h>
#include <zip.h>
#include <zlib.h>

/* ---- Bytes ---------------------------------------------------------------------------- */

void
put_file(const char *name, const void *bytes, size_t n)
{
	FILE *f = fopen(in_folder(name), "wb");
	assert_non_null(f);
	assert_true(n == 0 || fwrite(bytes, 1, n, f) == n);
	assert_int_equal(fclose(f), 0);
}

void
put_text(const char *name, const char *text)
{
	put_file(name, text, strlen(text));
}

void
put_long_text(const char *name, const char *first, const char *unit, size_t times)
{
	FILE *f = fopen(in_folder(name), "wb");
	assert_non_null(f);
	fputs(first, f);
	for (size_t i = 0; i < times; ++i)
		fputs(unit, f);
	assert_int_equal(fclose(f), 0);
}

/* ---- NPY, EDF, BrainVision --------------------------------------------------------------- */

void
put_npy(const char *name, const char *shape)
{
	char head[1024] = "\x93NUMPY\x01";
	const int n = snprintf(head + 10, 600, "{'descr': '<f8', 'fortran_order': False, 'shape': "
	                       "%s, }\n", shape);
	head[8] = (char)n, head[9] = (char)(n >> 8);
	put_file(name, head, 10 + (size_t)n + 80);
}

void
put_npy_dict(const char *name, const char *dict)
{
	char bytes[1024] = "\x93NUMPY\x01";
	const size_t n = strlen(dict);
	assert_true(n < 600);
	memcpy(bytes + 10, dict, n);
	bytes[8] = (char)n, bytes[9] = (char)(n >> 8);
	for (size_t i = 0; i < 80; ++i)
		bytes[10 + n + i] = (char)(i % 8 < 6 ? 0 : i % 8 == 6 ? 0xf0 : 0x3f);
	put_file(name, bytes, 10 + n + 80);
}

void
put_npy_long_header(const char *name)
{
	enum { HEADER = 0x10000 + 118, DATA = 2 * 3 * 5 * 8 };
	char *bytes = calloc(1, 12 + HEADER + DATA);
	assert_non_null(bytes);
	memcpy(bytes, "\x93NUMPY\x02", 7);
	memcpy(bytes + 8, "\x76\x00\x01\x00", 4);
	memset(bytes + 12, ' ', HEADER);
	static const char dict[] = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3, 5), }";
	memcpy(bytes + 12, dict, sizeof dict - 1);
	put_file(name, bytes, 12 + HEADER + DATA);
	free(bytes);
}

/* The fields of EDF that are the same in all of ours. */
typedef struct edf_field {
	size_t at;
	const char *text;
} edf_field;

static void
put_fields(char *head, const edf_field *fields, size_t n)
{
	for (size_t i = 0; i < n; ++i)
		memcpy(head + fields[i].at, fields[i].text, strlen(fields[i].text));
}

void
put_triggers(const char *name, size_t n)
{
	char head[512], per_record[16];
	memset(head, ' ', sizeof head);
	snprintf(per_record, sizeof per_record, "%zu", n);
	const edf_field fields[] = {
		{ 0, "\377BIOSEMI" }, { 168, "01.01.20" }, { 176, "00.00.00" }, { 184, "512" },
		{ 236, "1" }, { 244, "1" }, { 252, "1" }, { 256, "Status" }, { 360, "-1" },
		{ 368, "1" }, { 376, "-8388608" }, { 384, "8388607" }, { 472, per_record },
	};
	put_fields(head, fields, sizeof fields / sizeof *fields);
	FILE *f = fopen(in_folder(name), "wb");
	assert_non_null(f);
	fwrite(head, 1, sizeof head, f);
	for (size_t i = 0; i < n; ++i)
		fwrite(i % 2 ? "\1\0" : "\2\0", 1, 3, f);
	assert_int_equal(fclose(f), 0);
}

void
put_long_annotations(const char *name, size_t bytes)
{
	char head[768], per_record[24];
	memset(head, ' ', sizeof head);
	snprintf(per_record, sizeof per_record, "%zu", bytes / 2);
	const edf_field fields[] = {
		{ 0, "0" }, { 168, "01.01.20" }, { 176, "00.00.00" }, { 184, "768" },
		{ 192, "EDF+C" }, { 236, "1" }, { 244, "1" }, { 252, "2" }, { 256, "A" },
		{ 272, "EDF Annotations" }, { 464, "-1" }, { 472, "-1" }, { 480, "1" },
		{ 488, "1" }, { 496, "-32768" }, { 504, "-32768" }, { 512, "32767" },
		{ 520, "32767" }, { 688, "8" }, { 696, per_record },
	};
	put_fields(head, fields, sizeof fields / sizeof *fields);
	put_file(name, head, sizeof head);
	assert_int_equal(truncate(in_folder(name), (off_t)(sizeof head + 16 + bytes)), 0);
}

void
put_edf(const char *name, size_t at, const char *field)
{
	char bytes[768 + 4 * 2 * 8 * 2];
	memset(bytes, ' ', 768);
	memset(bytes + 768, 0, sizeof bytes - 768);
	static const edf_field fields[] = {
		{ 0, "0" }, { 8, "X" }, { 88, "X" }, { 168, "01.01.20" }, { 176, "00.00.00" },
		{ 184, "768" }, { 236, "4" }, { 244, "1" }, { 252, "2" }, { 256, "A" },
			{ 272, "B" },
		{ 448, "uV" }, { 456, "uV" }, { 464, "-1" }, { 472, "-1" }, { 480, "1" },
			{ 488, "1" },
		{ 496, "-32768" }, { 504, "-32768" }, { 512, "32767" }, { 520, "32767" },
		{ 688, "8" }, { 696, "8" },
	};
	put_fields(bytes, fields, sizeof fields / sizeof *fields);
	memcpy(bytes + at, field, strlen(field));
	put_file(name, bytes, sizeof bytes);
}

void
put_vhdr(const char *name, const char *data, const char *channel)
{
	char text[1024];
	snprintf(text, sizeof text, "Brain Vision Data Exchange Header File Version 1.0\n"
	         "[Common Infos]\nDataFile=%s\nDataFormat=BINARY\nDataOrientation=MULTIPLEXED\n"
	         "NumberOfChannels=1\nSamplingInterval=1000\n[Binary Infos]\nBinaryFormat=INT_16\n"
	         "[Channel Infos]\nCh1=%s,,1,uV\n", data, channel);
	put_text(name, text);
}

/* ---- Bombs ------------------------------------------------------------------------- */

/* n zeros, deflated. */
static unsigned char *
deflated_zeros(const unsigned char *before, size_t n_before, size_t n, size_t *bytes)
{
	static const unsigned char zeros[65536];
	z_stream z = { 0 };
	unsigned char *out = malloc(n / 100 + n_before + 4096);
	assert_non_null(out);
	assert_int_equal(deflateInit(&z, 1), Z_OK);
	z.next_out = out;
	z.avail_out = (uInt)(n / 100 + n_before + 4096);
	z.next_in = (unsigned char *)(uintptr_t)before;
	z.avail_in = (uInt)n_before;
	deflate(&z, Z_NO_FLUSH);
	while (n > 0) {
		z.next_in = (unsigned char *)(uintptr_t)zeros;
		z.avail_in = (uInt)(n < sizeof zeros ? n : sizeof zeros);
		n -= z.avail_in;
		deflate(&z, Z_NO_FLUSH);
	}
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	*bytes = z.total_out;
	deflateEnd(&z);
	return out;
}

static void
put_u32(unsigned char *to, size_t value)
{
	for (int i = 0; i < 4; ++i)
		to[i] = (unsigned char)(value >> 8 * i);
}

/* MAT 5's first 128 bytes, and what comes before the values of x(1,n). */
static void
mat5_heads(unsigned char head[128], unsigned char array[64], size_t n)
{
	memset(head, ' ', 128);
	memcpy(head, "MATLAB 5.0 MAT-file", 19);
	memcpy(head + 124, "\x00\x01IM", 4);
	memset(array, 0, 64);
	put_u32(array, 14);
	put_u32(array + 4, 48 + n * 8);
	put_u32(array + 8, 6), put_u32(array + 12, 8), put_u32(array + 16, 6);
	put_u32(array + 24, 5), put_u32(array + 28, 8), put_u32(array + 32, 1);
	put_u32(array + 36, n);
	array[40] = 1, array[42] = 1, array[44] = 'x';
	put_u32(array + 48, 9), put_u32(array + 52, n * 8);
}

void
put_mat5_bomb(const char *name, size_t samples, size_t zeros)
{
	unsigned char head[128], array[64], tag[8];
	mat5_heads(head, array, samples);
	size_t bytes;
	unsigned char *packed = deflated_zeros(array, 56, zeros * 8, &bytes);
	put_u32(tag, 15), put_u32(tag + 4, bytes);
	FILE *f = fopen(in_folder(name), "wb");
	assert_non_null(f);
	fwrite(head, 1, sizeof head, f);
	fwrite(tag, 1, sizeof tag, f);
	fwrite(packed, 1, bytes, f);
	assert_int_equal(fclose(f), 0);
	free(packed);
}

void
put_mat5_short(const char *name, size_t n, size_t has, bool packed, bool another)
{
	unsigned char head[128], array[64], other[64], bytes[4096], tag[8];
	double x[256];
	assert_true(n <= 256 && has <= n);
	for (size_t i = 0; i < n; ++i)
		x[i] = (double)(i % 7) - 3 + (double)(i % 3);
	mat5_heads(head, array, n);
	memcpy(bytes, array, 56);
	memcpy(bytes + 56, x, has * 8);
	uLongf length = 56 + has * 8;
	FILE *f = fopen(in_folder(name), "wb");
	assert_non_null(f);
	fwrite(head, 1, sizeof head, f);
	if (packed) {
		unsigned char stream[4096];
		uLongf m = sizeof stream;
		assert_int_equal(compress(stream, &m, bytes, length), Z_OK);
		put_u32(tag, 15), put_u32(tag + 4, m);
		fwrite(tag, 1, sizeof tag, f);
		fwrite(stream, 1, m, f);
	} else {
		/* The array's own length is that of the file; that of its values is not. */
		put_u32(bytes + 4, 48 + has * 8);
		fwrite(bytes, 1, length, f);
	}
	if (another) {
		mat5_heads(head, other, n);
		other[44] = 'y';
		fwrite(other, 1, 56, f);
		fwrite(x, 8, n, f);
	}
	assert_int_equal(fclose(f), 0);
}

void
put_npz_bomb(const char *name, size_t samples, size_t zeros)
{
	char head[129] = "\x93NUMPY\x01";
	snprintf(head + 10, sizeof head - 10,
	         "{'descr': '<f8', 'fortran_order': False, 'shape': (1, %zu), }", samples);
	for (size_t i = 10 + strlen(head + 10); i < 127; ++i)
		head[i] = ' ';
	head[7] = 0, head[8] = 118, head[9] = 0, head[127] = '\n';
	unsigned char *bytes = calloc(128 + zeros * 8, 1);
	assert_non_null(bytes);
	memcpy(bytes, head, 128);
	zip_t *zip = zip_open(in_folder(name), ZIP_CREATE | ZIP_TRUNCATE, NULL);
	assert_non_null(zip);
	zip_file_add(zip, "x.npy", zip_source_buffer(zip, bytes, 128 + zeros * 8, 0), 0);
	zip_set_file_compression(zip, 0, ZIP_CM_DEFLATE, 1);
	assert_int_equal(zip_close(zip), 0);
	free(bytes);
}

/* ---- HDF5 ------------------------------------------------------------------------------- */

static hid_t
dataset(hid_t file, const char *name, hid_t how, hsize_t channels, hsize_t samples)
{
	const hsize_t dims[2] = { channels, samples };
	hid_t space = H5Screate_simple(2, dims, NULL);
	hid_t data = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
	H5Sclose(space);
	return data;
}

void
external_storage(hid_t file, const char *other)
{
	hid_t how = H5Pcreate(H5P_DATASET_CREATE);
	H5Pset_external(how, other, 0, 2 * 50 * 8);
	H5Dclose(dataset(file, "x", how, 2, 50));
	H5Pclose(how);
}

void
virtual_dataset(hid_t file, const char *other)
{
	const hsize_t dims[2] = { 2, 50 };
	hid_t how = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(2, dims, NULL);
	H5Pset_virtual(how, space, other, "x", space);
	H5Dclose(dataset(file, "x", how, 2, 50));
	H5Sclose(space);
	H5Pclose(how);
}

/* As many sources as there are files of a pattern. */
void
growing_virtual_dataset(hid_t file, const char *other)
{
	const hsize_t dims[2] = { 2, 50 }, most[2] = { 2, H5S_UNLIMITED }, start[2] = { 0, 0 };
	const hsize_t stride[2] = { 1, 50 }, count[2] = { 1, H5S_UNLIMITED }, block[2] = { 2, 50 };
	char pattern[512];
	snprintf(pattern, sizeof pattern, "%s%%b", other);
	hid_t how = H5Pcreate(H5P_DATASET_CREATE);
	hid_t space = H5Screate_simple(2, dims, most), source = H5Screate_simple(2, dims, NULL);
	H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, block);
	H5Pset_virtual(how, space, pattern, "x", source);
	hid_t data = H5Dcreate2(file, "x", H5T_IEEE_F64LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
	if (data >= 0)
		H5Dclose(data);
	H5Sclose(source);
	H5Sclose(space);
	H5Pclose(how);
}

void
external_link(hid_t file, const char *other)
{
	H5Lcreate_external(other, "/x", file, "signal", H5P_DEFAULT, H5P_DEFAULT);
}

void
external_group(hid_t file, const char *other)
{
	H5Lcreate_external(other, "/", file, "g", H5P_DEFAULT, H5P_DEFAULT);
}

void
link_to_link(hid_t file, const char *other)
{
	H5Lcreate_external(other, "/x", file, "far", H5P_DEFAULT, H5P_DEFAULT);
	H5Lcreate_soft("/far", file, "signal", H5P_DEFAULT, H5P_DEFAULT);
}

/* A filter that only a plugin knows: written by one of that number that does nothing. */
static size_t
do_nothing(unsigned flags, size_t n, const unsigned values[], size_t bytes, size_t *size,
           void **buffer)
{
	(void)flags, (void)n, (void)values, (void)size, (void)buffer;
	return bytes;
}

void
plugin_filter(hid_t file, const char *other)
{
	(void)other;
	const H5Z_class2_t filter = { .version = H5Z_CLASS_T_VERS, .id = 32015,
		.encoder_present = 1,
		.decoder_present = 1, .name = "z\033[2Jstd", .filter = do_nothing };
	const hsize_t chunk[2] = { 1, 50 };
	double x[100] = { 1 };
	H5Zregister(&filter);
	hid_t how = H5Pcreate(H5P_DATASET_CREATE);
	H5Pset_chunk(how, 2, chunk);
	H5Pset_filter(how, 32015, 0, 0, NULL);
	hid_t data = dataset(file, "x", how, 2, 50);
	H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x);
	H5Dclose(data);
	H5Pclose(how);
	H5Zunregister(32015);
}

void
one_huge_chunk(hid_t file, const char *other)
{
	(void)other;
	const hsize_t chunk[2] = { 1, 100000000 };
	hid_t how = H5Pcreate(H5P_DATASET_CREATE);
	H5Pset_chunk(how, 2, chunk);
	H5Pset_deflate(how, 1);
	H5Dclose(dataset(file, "x", how, 1, 100000000));
	H5Pclose(how);
}

/* More than is believed of a file of this size. */
void
claims(hid_t file, const char *other)
{
	(void)other;
	const hsize_t chunk[2] = { 1, 1000 };
	hid_t how = H5Pcreate(H5P_DATASET_CREATE);
	H5Pset_chunk(how, 2, chunk);
	H5Dclose(dataset(file, "x", how, 1, (hsize_t)1 << 50));
	H5Pclose(how);
}

/* Millions of zeros, packed well. */
void
packed_zeros(hid_t file, const char *other)
{
	(void)other;
	const hsize_t chunk[2] = { 1, 100000 };
	hid_t how = H5Pcreate(H5P_DATASET_CREATE);
	H5Pset_chunk(how, 2, chunk);
	H5Pset_deflate(how, 9);
	hid_t data = dataset(file, "x", how, 1, 20000000);
	double *x = calloc(20000000, sizeof *x);
	assert_non_null(x);
	H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x);
	free(x);
	H5Dclose(data);
	H5Pclose(how);
}

/* A chunk of 50 values that holds 5: packed, left as it is, or of a dataset without filters. */
static void
put_short_chunk(hid_t file, bool packed, bool filters)
{
	const hsize_t chunk[2] = { 1, 50 }, at[2] = { 0, 0 };
	double x[50] = { 1, 2, 3, 2, 1 };
	unsigned char bytes[400];
	uLongf n = sizeof bytes;
	hid_t how = H5Pcreate(H5P_DATASET_CREATE);
	H5Pset_chunk(how, 2, chunk);
	if (filters)
		H5Pset_deflate(how, 1);
	hid_t data = dataset(file, "x", how, 1, 50);
	assert_int_equal(compress(bytes, &n, (const unsigned char *)x, 40), Z_OK);
	const uint32_t left_out = filters && !packed;
	assert_true(H5Dwrite_chunk(data, H5P_DEFAULT, left_out, at, packed ? n : 40,
	                           packed ? (const void *)bytes : x) >= 0);
	/* For matio. */
	hid_t type = H5Tcopy(H5T_C_S1), one = H5Screate(H5S_SCALAR);
	H5Tset_size(type, 6);
	hid_t class = H5Acreate2(data, "MATLAB_class", type, one, H5P_DEFAULT, H5P_DEFAULT);
	assert_true(H5Awrite(class, type, "double") >= 0);
	H5Aclose(class);
	H5Sclose(one);
	H5Tclose(type);
	H5Dclose(data);
	H5Pclose(how);
}

void
short_chunk(hid_t file, const char *text)
{
	(void)text;
	put_short_chunk(file, true, true);
}

void
bare_short_chunk(hid_t file, const char *text)
{
	(void)text;
	put_short_chunk(file, false, true);
}

void
plain_short_chunk(hid_t file, const char *text)
{
	(void)text;
	put_short_chunk(file, false, false);
}

void
named_array(hid_t file, const char *name)
{
	double x[100];
	for (int i = 0; i < 100; ++i)
		x[i] = i % 7 - 3 + i % 3;
	hid_t data = dataset(file, "signal", H5P_DEFAULT, 2, 50);
	H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x);
	const char *names[2] = { name, name };
	const hsize_t two = 2;
	hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &two, NULL);
	H5Tset_size(type, H5T_VARIABLE);
	hid_t a = H5Acreate2(data, "channel_names", type, space, H5P_DEFAULT, H5P_DEFAULT);
	H5Awrite(a, type, names);
	H5Aclose(a);
	a = H5Acreate2(data, "unit", type, space, H5P_DEFAULT, H5P_DEFAULT);
	H5Awrite(a, type, names);
	H5Aclose(a);
	H5Sclose(space);
	H5Tclose(type);
	H5Dclose(data);
}

void
make_hdf5(const char *name, maker *make, const char *other)
{
	const bool mat = !strstr(name, ".h5");
	hid_t how = H5Pcreate(H5P_FILE_CREATE);
	if (mat)
		H5Pset_userblock(how, 512);
	hid_t file = H5Fcreate(in_folder(name), H5F_ACC_TRUNC, how, H5P_DEFAULT);
	assert_true(file >= 0);
	make(file, other);
	H5Fclose(file);
	H5Pclose(how);
	if (!mat)
		return;
	char head[128];
	memset(head, ' ', sizeof head);
	memcpy(head, "MATLAB 7.3 MAT-file", 19);
	memcpy(head + 124, "\x00\x02IM", 4);
	FILE *f = fopen(in_folder(name), "r+b");
	assert_non_null(f);
	assert_int_equal(fwrite(head, 1, sizeof head, f), sizeof head);
	fclose(f);
}
