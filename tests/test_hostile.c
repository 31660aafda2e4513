/*
 * test_hostile.c - the collection of hostile files: what the program must give for each.
 *
 * Each file is made anew in a folder of its own and goes through info, emd, plot and compare, with
 * --memory 64M.  Whatever the command: it ends within the time below, with status 0, 2, 3 or 4,
 * uses at most 64 MB more than --memory in each of its processes, and prints nothing that steers a
 * terminal; a failure is one line on standard error and leaves no output.  info, and emd where it
 * differs, must give the status and words that stand here.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "core_test.h"
#include <hdf5.h>
#include <matio.h>
#include <zip.h>
#include <zlib.h>

#define MEMORY_MB 64
#define SPARE_MB 64

/* Of processor time, of the program and its decoder together: tests run beside each other.  Of
 * other time five times as much. */
#define MOST_SECONDS 5

static char program[4096], folder[128];
static const char *failing;  /* what is tried, for messages */
static size_t n_files, n_bad;

/* ---- One command ------------------------------------------------------------------- */

typedef struct outcome {
	int status;          /* of the exit; 128 + its signal */
	double seconds;      /* of the processor */
	long kilobytes;      /* at most, of one process */
	char out[65536], err[8192];
	bool timed_out;
} outcome;

static void
take(int fd, char *text, size_t size)
{
	size_t n = strlen(text);
	char more[4096];
	const ssize_t got = read(fd, more, sizeof more);
	for (ssize_t i = 0; i < got && n < size - 1; ++i)
		text[n++] = more[i] ? more[i] : '?';
	text[n] = '\0';
}

static void
run(const char *const *arguments, outcome *o)
{
	int out[2], err[2];
	*o = (outcome){ .status = -1 };
	assert_true(pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0);
	struct timespec start, now;
	clock_gettime(CLOCK_MONOTONIC, &start);
	const pid_t pid = fork();
	if (pid == 0) {
		const int null = open("/dev/null", O_RDONLY);
		dup2(null, 0);
		dup2(out[1], 1);
		dup2(err[1], 2);
		if (chdir(folder) == 0)
			execv(program, (char *const *)(uintptr_t)arguments);
		_exit(125);
	}
	close(out[1]);
	close(err[1]);
	struct pollfd p[2] = { { .fd = out[0], .events = POLLIN },
		               { .fd = err[0], .events = POLLIN } };
	for (bool open = true; open;) {
		poll(p, 2, 100);
		clock_gettime(CLOCK_MONOTONIC, &now);
		open = !(p[0].revents & POLLHUP) || !(p[1].revents & POLLHUP)
		       || (p[0].revents & POLLIN) || (p[1].revents & POLLIN);
		if (p[0].revents & POLLIN)
			take(out[0], o->out, sizeof o->out);
		if (p[1].revents & POLLIN)
			take(err[0], o->err, sizeof o->err);
		if (now.tv_sec - start.tv_sec > (SANITIZED ? 50 : 5) * MOST_SECONDS &&
		    !o->timed_out) {
			o->timed_out = true;
			kill(pid, SIGKILL);
		}
	}
	close(out[0]);
	close(err[0]);
	int end;
	struct rusage used;
	assert_int_equal(wait4(pid, &end, 0, &used), pid);
	o->status = WIFEXITED(end) ? WEXITSTATUS(end) : 128 + WTERMSIG(end);
	o->kilobytes = used.ru_maxrss;
	o->seconds = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec)
	             + (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
}

static void
complain(const char *command, const outcome *o, const char *what)
{
	printf("FAIL %s: %s: %s\n     status %d, %.1f s, %ld kB, '%s'\n", failing, command, what,
	       o->status, o->seconds, o->kilobytes, o->err);
	++n_bad;
}

/* Is there anything but what is to be seen? */
static bool
steers_terminals(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	for (; *s; ++s)
		if ((*s < ' ' && *s != '\n') || *s == 0x7f ||
		    (*s == 0xc2 && s[1] >= 0x80 && s[1] < 0xa0)
		    || (*s == 0xe2 && s[1] == 0x80 && s[2] >= 0xaa && s[2] <= 0xae))
			return true;
	return false;
}

static void
judge(const char *command, const outcome *o, const char *output)
{
	const char *line = strchr(o->err, '\n');
	if (o->timed_out || o->seconds > (SANITIZED ? 10 : 1) * MOST_SECONDS)
		complain(command, o, "takes too long");
	if (o->status != 0 && o->status != 2 && o->status != 3 && o->status != 4)
		complain(command, o, "a status that no file may give");
	if (o->status != 0 && (strncmp(o->err, "wavesift: ", 10) != 0 || !line || line[1]))
		complain(command, o, "not one line");
	/* Sanitizers take memory and time of their own. */
	if (!SANITIZED && o->kilobytes > (MEMORY_MB + SPARE_MB) * 1024L)
		complain(command, o, "takes too much memory");
	if (steers_terminals(o->out) || steers_terminals(o->err))
		complain(command, o, "prints what steers terminals");
	if (strstr(o->out, "root:") || strstr(o->err, "root:"))
		complain(command, o, "shows another file");
	if (output && o->status != 0 && access(output, F_OK) == 0)
		complain(command, o, "leaves an output behind");
	if (output)
		unlink(output);
}

/* All commands on one file. */
/* A library's mistake that goes on otherwise, but ends the decoder under a sanitizer. */
static bool
sanitizer_ends(const outcome *o)
{
	return SANITIZED && o->status == 3 && strstr(o->err, "crashes on it");
}

static void
try_file(const char *name, int status, const char *words, int emd_status, const char *variable)
{
	static outcome o;
	char output[512];
	failing = name;
	++n_files;
	snprintf(output, sizeof output, "%s/made.npy", folder);
	const char *const info[] = { "wavesift", "info", "--memory", "64M", name,
		                     variable ? "--variable" : NULL, variable, NULL };
	run(info, &o);
	judge("info", &o, NULL);
	if (!sanitizer_ends(&o) &&
	    (o.status != status || (words && !strstr(*o.err ? o.err : o.out, words)))) {
		printf("expected status %d and '%s'\n", status, words ? words : "");
		complain("info", &o, "another status, or other words");
	}
	const char *const emd[] = { "wavesift", "emd", "--memory", "64M", "--modes", "2", "-o",
		                    "made.npy", "--quiet", name,
		                    variable ? "--variable" : NULL, variable, NULL };
	run(emd, &o);
	judge("emd", &o, output);
	if (o.status != emd_status && !sanitizer_ends(&o))
		complain("emd", &o, "another status than expected");
	const char *const plot[] = { "wavesift", "plot", "--memory", "64M", name, "-o", "made.npy",
		                     NULL };
	run(plot, &o);
	judge("plot", &o, output);
	const char *const compare[] = { "wavesift", "compare", "--memory", "64M", name, name,
		NULL };
	run(compare, &o);
	judge("compare", &o, NULL);
}

static const char *
in_folder(const char *name)
{
	static char paths[4][512];
	static int next;
	char *path = paths[next++ % 4];
	assert_true(strlen(name) < 300);
	snprintf(path, sizeof paths[0], "%.127s/%.299s", folder, name);
	return path;
}

static void
put_file(const char *name, const void *bytes, size_t n)
{
	FILE *f = fopen(in_folder(name), "wb");
	assert_non_null(f);
	assert_true(n == 0 || fwrite(bytes, 1, n, f) == n);
	assert_int_equal(fclose(f), 0);
}

static void
put_text(const char *name, const char *text)
{
	put_file(name, text, strlen(text));
}

/* ---- Files that are none ----------------------------------------------------------- */

static void
no_files(void **state)
{
	(void)state;
	static const char *const endings[] = { "edf", "bdf", "vhdr", "set", "mat", "h5", "npy",
		                               "npz", "csv", "wav", "flac", "ogg" };
	for (size_t i = 0; i < sizeof endings / sizeof *endings; ++i) {
		char name[64];
		snprintf(name, sizeof name, "fifo.%s", endings[i]);
		assert_int_equal(mkfifo(in_folder(name), 0600), 0);
		try_file(name, 3, "not a regular file", 3, NULL);
		snprintf(name, sizeof name, "link.%s", endings[i]);
		char target[64];
		snprintf(target, sizeof target, "fifo.%s", endings[i]);
		assert_int_equal(symlink(target, in_folder(name)), 0);
		try_file(name, 3, "not a regular file", 3, NULL);
		snprintf(name, sizeof name, "empty.%s", endings[i]);
		put_file(name, "", 0);
		try_file(name, 3, "empty", 3, NULL);
		snprintf(name, sizeof name, "short.%s", endings[i]);
		put_file(name, "\x89HD\0\xff", 5);
		try_file(name, 3, name, 3, NULL);
	}
	assert_int_equal(symlink("loop.h5", in_folder("loop.h5")), 0);
	try_file("loop.h5", 3, "cannot be opened", 3, NULL);
	try_file(".", 3, "is a directory", 3, NULL);
	try_file("/dev/zero", 3, "not a regular file", 3, NULL);
	try_file("/dev/tty", 3, "/dev/tty", 3, NULL);
	try_file("/proc/self/mem", 3, NULL, 3, NULL);
}

/* ---- HDF5 that reaches for other files --------------------------------------------- */

typedef void maker(hid_t file, const char *other);

static hid_t
dataset(hid_t file, const char *name, hid_t how, hsize_t channels, hsize_t samples)
{
	const hsize_t dims[2] = { channels, samples };
	hid_t space = H5Screate_simple(2, dims, NULL);
	hid_t data = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
	H5Sclose(space);
	return data;
}

static void
external_storage(hid_t file, const char *other)
{
	hid_t how = H5Pcreate(H5P_DATASET_CREATE);
	H5Pset_external(how, other, 0, 2 * 50 * 8);
	H5Dclose(dataset(file, "x", how, 2, 50));
	H5Pclose(how);
}

static void
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
static void
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

static void
external_link(hid_t file, const char *other)
{
	H5Lcreate_external(other, "/x", file, "signal", H5P_DEFAULT, H5P_DEFAULT);
}

static void
external_group(hid_t file, const char *other)
{
	H5Lcreate_external(other, "/", file, "g", H5P_DEFAULT, H5P_DEFAULT);
}

static void
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

static void
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

static void
one_huge_piece(hid_t file, const char *other)
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
static void
claims(hid_t file, const char *other)
{
	(void)other;
	const hsize_t chunk[2] = { 1, 1000 };
	hid_t how = H5Pcreate(H5P_DATASET_CREATE);
	H5Pset_chunk(how, 2, chunk);
	H5Dclose(dataset(file, "x", how, 1, (hsize_t)1 << 50));
	H5Pclose(how);
}

/* name: .h5, or with MATLAB's block before it .mat or .set. */
static void
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

static void
reaching_out(void **state)
{
	(void)state;
	static const struct {
		const char *stem;
		maker *make;
		const char *words;  /* of a .h5; of MAT files too, where all is looked at */
		int status;
		bool in_mat;
		const char *variable;
	} ways[] = {
		{ "storage", external_storage, "external storage", 3, true, NULL },
		{ "virtual", virtual_dataset, "virtual dataset", 3, true, NULL },
		{ "growing", growing_virtual_dataset, "virtual dataset", 3, true, NULL },
		{ "link", external_link, "link to another file", 3, true, NULL },
		{ "group", external_group, "link to another file", 3, true, "/g/x" },
		{ "twice", link_to_link, NULL, 3, true, NULL },
		{ "plugin", plugin_filter, "a plugin", 3, true, NULL },
		{ "piece", one_huge_piece, "in pieces of", 4, true, NULL },
		{ "claims", claims, "more values than", 3, false, NULL },
	};
	static const char *const others[] = { "/etc/passwd", "other.h5", "pipe", "../other.h5" };
	make_hdf5("other.h5", claims, NULL);
	assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
	for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
		for (size_t k = 0; k < sizeof others / sizeof *others; ++k) {
			char name[64];
			if (k > 0 && ways[i].make != external_storage &&
			    ways[i].make != virtual_dataset
			    && ways[i].make != external_link)
				break;
			snprintf(name, sizeof name, "%s%zu.h5", ways[i].stem, k);
			make_hdf5(name, ways[i].make, others[k]);
			try_file(name, ways[i].status, ways[i].words, ways[i].status,
			         ways[i].variable);
			snprintf(name, sizeof name, "%s%zu.mat", ways[i].stem, k);
			make_hdf5(name, ways[i].make, others[k]);
			try_file(name, ways[i].status, ways[i].in_mat ? ways[i].words : NULL,
			         ways[i].status, NULL);
			snprintf(name, sizeof name, "%s%zu.set", ways[i].stem, k);
			make_hdf5(name, ways[i].make, others[k]);
			try_file(name, ways[i].make == claims ? 3 : ways[i].status, NULL,
			         ways[i].status, NULL);
		}
	}
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

/* MAT 5: x(1,samples) double, of zeros, deflated; samples as the file says, zeros as it has. */
static void
put_mat5_bomb(const char *name, size_t samples, size_t zeros)
{
	unsigned char head[128], array[64] = { 0 }, tag[8];
	memset(head, ' ', sizeof head);
	memcpy(head, "MATLAB 5.0 MAT-file", 19);
	memcpy(head + 124, "\x00\x01IM", 4);
	put_u32(array, 14);
	put_u32(array + 4, 56 + samples * 8);
	put_u32(array + 8, 6), put_u32(array + 12, 8), put_u32(array + 16, 6);
	put_u32(array + 24, 5), put_u32(array + 28, 8), put_u32(array + 32, 1);
	put_u32(array + 36, samples);
	array[40] = 1, array[42] = 1, array[44] = 'x';
	put_u32(array + 48, 9), put_u32(array + 52, samples * 8);
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

static void
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

static void
put_long_text(const char *name, const char *first, const char *unit, size_t times)
{
	FILE *f = fopen(in_folder(name), "wb");
	assert_non_null(f);
	fputs(first, f);
	for (size_t i = 0; i < times; ++i)
		fputs(unit, f);
	assert_int_equal(fclose(f), 0);
}

/* Millions of zeros, packed well. */
static void
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

static void
bombs(void **state)
{
	(void)state;
	put_mat5_bomb("bomb.mat", 20000000, 20000000);
	try_file("bomb.mat", 4, "-v7.3", 4, NULL);
	put_mat5_bomb("claims-more.mat", 500000000, 1000);
	try_file("claims-more.mat", 3, "claims more values", 3, NULL);
	put_npz_bomb("bomb.npz", 12000000, 12000000);
	try_file("bomb.npz", 4, "unzip it", 4, NULL);
	put_npz_bomb("claims-more.npz", (size_t)1 << 60, 1000);
	try_file("claims-more.npz", 3, "needs more than", 3, NULL);
	make_hdf5("bomb.h5", packed_zeros, NULL);
	/* Each piece is read on its own; what is decomposed does not fit. */
	try_file("bomb.h5", 0, NULL, 4, NULL);
	put_long_text("endless.csv", "", "1111111111111111111111111111111111111111", 2000000);
	try_file("endless.csv", 4, "--memory is too small", 4, NULL);
	put_long_text("long.csv", "a\n", "1\n2\n3\n4\n5\n6\n7\n8\n9\n8\n", 1000000);
	try_file("long.csv", 4, "than the", 4, NULL);
	put_long_text("wide.csv", "1", ",1", 3000000);
	try_file("wide.csv", 4, NULL, 4, NULL);
	put_long_text("columns.csv", "1", ",1", 1000000);
	try_file("columns.csv", 4, NULL, 4, NULL);
}

/* ---- Sizes that lie ---------------------------------------------------------------- */

static void
put_npy(const char *name, const char *shape)
{
	char head[1024] = "\x93NUMPY\x01";
	const int n = snprintf(head + 10, 600, "{'descr': '<f8', 'fortran_order': False, 'shape': "
	                       "%s, }\n", shape);
	head[8] = (char)n, head[9] = (char)(n >> 8);
	put_file(name, head, 10 + (size_t)n + 80);
}

/* An EDF of two channels and four records, and one field of its header replaced. */
static void
put_edf(const char *name, size_t at, const char *field)
{
	char bytes[768 + 4 * 2 * 8 * 2];
	memset(bytes, ' ', 768);
	memset(bytes + 768, 0, sizeof bytes - 768);
	static const struct {
		size_t at;
		const char *text;
	} fields[] = {
		{ 0, "0" }, { 8, "X" }, { 88, "X" }, { 168, "01.01.20" }, { 176, "00.00.00" },
		{ 184, "768" }, { 236, "4" }, { 244, "1" }, { 252, "2" }, { 256, "A" },
			{ 272, "B" },
		{ 448, "uV" }, { 456, "uV" }, { 464, "-1" }, { 472, "-1" }, { 480, "1" },
			{ 488, "1" },
		{ 496, "-32768" }, { 504, "-32768" }, { 512, "32767" }, { 520, "32767" },
		{ 688, "8" }, { 696, "8" },
	};
	for (size_t i = 0; i < sizeof fields / sizeof *fields; ++i)
		memcpy(bytes + fields[i].at, fields[i].text, strlen(fields[i].text));
	memcpy(bytes + at, field, strlen(field));
	put_file(name, bytes, sizeof bytes);
}

static void
lying_sizes(void **state)
{
	(void)state;
	static const char *const shapes[] = {
		"(1, 4611686018427387904)", "(4294967296, 4294967296)", "(2305843009213693952, 8)",
		"(18446744073709551615,)", "(1, 1, 99999999999999999999)", "(0, 10)", "(-1, 10)",
		"(1, 11)", "(1048577, 1)", "((1, 10))", "(1, 10", "()",
	};
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
		char name[32];
		snprintf(name, sizeof name, "shape%zu.npy", i);
		put_npy(name, shapes[i]);
		try_file(name, 3, name, 3, NULL);
	}
	static const struct {
		size_t at;
		const char *field;
		int status;
	} edf[] = {
		{ 184, "99999999", 3 }, { 184, "0       ", 3 }, { 236, "99999999", 0 },
		{ 236, "-9999999", 0 }, { 244, "1e-300", 0 }, { 244, "0", 0 }, { 244, "-1", 0 },
		{ 252, "9999", 3 }, { 252, "0", 3 }, { 252, "-1", 3 }, { 688, "99999999", 3 },
		{ 688, "-8", 3 }, { 688, "2147483", 3 },
	};
	for (size_t i = 0; i < sizeof edf / sizeof *edf; ++i) {
		char name[32];
		snprintf(name, sizeof name, "size%zu.edf", i);
		put_edf(name, edf[i].at, edf[i].field);
		try_file(name, edf[i].status, name, edf[i].status, NULL);
	}
}

/* ---- BrainVision ------------------------------------------------------------------- */

static void
put_vhdr(const char *name, const char *data, const char *channel)
{
	char text[1024];
	snprintf(text, sizeof text, "Brain Vision Data Exchange Header File Version 1.0\n"
	         "[Common Infos]\nDataFile=%s\nDataFormat=BINARY\nDataOrientation=MULTIPLEXED\n"
	         "NumberOfChannels=1\nSamplingInterval=1000\n[Binary Infos]\nBinaryFormat=INT_16\n"
	         "[Channel Infos]\nCh1=%s,,1,uV\n", data, channel);
	put_text(name, text);
}

static void
data_elsewhere(void **state)
{
	(void)state;
	static const char *const elsewhere[] = {
		"/etc/passwd", "../../../../../../etc/passwd", "..\\..\\etc\\passwd", "..", ".",
			"pipe",
		"/dev/zero", "\033[2J", "a\302\233b",
	};
	unlink(in_folder("pipe"));
	assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
	for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; ++i) {
		char name[32];
		snprintf(name, sizeof name, "data%zu.vhdr", i);
		put_vhdr(name, elsewhere[i], "A");
		try_file(name, 3, "cannot be opened", 3, NULL);
	}
}

/* ---- Names ------------------------------------------------------------------------- */

static const char *const nasty[] = {
	"a\033[2J\033]0;x\007b", "a\r\nwavesift: ok", "\302\2332Ja",
	"\342\200\256gnp.eeg", "\177\010\010x",
	"=cmd|' /C calc'!A0", "%s%n%s%n", "a\"b'c;d,e", "\xff\xfe\xfd",
};

static void
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

static void
names(void **state)
{
	(void)state;
	char name[300], text[16000];
	for (size_t i = 0; i < sizeof nasty / sizeof *nasty; ++i) {
		snprintf(name, sizeof name, "name%zu.h5", i);
		make_hdf5(name, named_array, nasty[i]);
		try_file(name, 0, NULL, 0, NULL);
		snprintf(name, sizeof name, "name%zu.edf", i);
		snprintf(text, 17, "%s", nasty[i]);
		put_edf(name, 256, text);
		try_file(name, 0, NULL, 0, NULL);
		if (strpbrk(nasty[i], "\r\n,;\""))
			continue;
		snprintf(name, sizeof name, "name%zu.csv", i);
		snprintf(text, sizeof text, "%s\n1\n2\n3\n1\n2\n5\n1\n", nasty[i]);
		put_text(name, text);
		/* Bytes that no text has, and blanks, which part columns. */
		const int status = strpbrk(nasty[i], "\177 ") ? 3 : 0;
		try_file(name, status, NULL, status, NULL);
		snprintf(name, sizeof name, "name%zu.vhdr", i);
		put_file("name.eeg", "\1\0\2\0\1\0\3\0\1\0\2\0", 12);
		put_vhdr(name, "name.eeg", nasty[i]);
		try_file(name, 0, NULL, 0, NULL);
	}
	/* Of the file itself, which messages and summaries name. */
	put_text("f\033[2J\302\233x.csv", "1\n2\n3\n1\n2\n5\n1\n");
	try_file("f\033[2J\302\233x.csv", 0, NULL, 0, NULL);
	try_file("none\033[2J\302\233x.csv", 3, NULL, 3, NULL);
	memset(text, 'n', 15000);
	strcpy(text + 15000, "\n1\n2\n3\n1\n2\n5\n1\n");
	put_text("long-name.csv", text);
	try_file("long-name.csv", 0, NULL, 0, NULL);
}

/* ---- Damage that crashes libraries ------------------------------------------------- */

static void
known_crashes(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		int info, emd;
	} known[] = {
		{ "hdf5-endless-global-heap.h5", 3, 3 }, { "hdf5-overlapping-copy.h5", 3, 3 },
		{ "hdf5-invalid-free.h5", 3, 3 },        { "hdf5-huge-allocation.h5", 3, 3 },
		{ "hdf5-read-past-chunk.h5", 0, 3 },     { "mat-heap-overflow.mat", 0, 3 },
		{ "mat-endless-read.mat", 0, 3 },        { "eeglab-wild-copy.set", 0, 0 },
		{ "eeglab-huge-struct.set", 3, 3 },      { "eeglab-field-of-nothing.set", 3, 3 },
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
		char path[512];
		snprintf(path, sizeof path, "%s/fuzz/known/%s", WAVESIFT_SOURCE_DIR, known[i].name);
		try_file(path, known[i].info, NULL, known[i].emd, NULL);
	}
}

/* ---- ------------------------------------------------------------------------------- */

static int
start(void **state)
{
	(void)state;
	const char *build = getenv("WAVESIFT_BUILD"), *tmp = getenv("TMPDIR");
	snprintf(program, sizeof program, "%s/wavesift", build ? build : ".");
	if (access(program, X_OK) != 0) {
		printf("no %s; set WAVESIFT_BUILD\n", program);
		return -1;
	}
	snprintf(folder, sizeof folder, "%s/wavesift-hostile-XXXXXX", tmp ? tmp : "/tmp");
	return mkdtemp(folder) ? 0 : -1;
}

static int
finish(void **state)
{
	(void)state;
	char command[512];
	snprintf(command, sizeof command, "rm -rf '%s'", folder);
	printf("%zu files, %zu complaints\n", n_files, n_bad);
	return system(command);
}

#define GROUP(f)                        \
	static void                     \
	f##_are_held(void **state)      \
	{                               \
		n_bad = 0;              \
		f(state);               \
		assert_int_equal(n_bad, 0); \
	}
GROUP(no_files)
GROUP(reaching_out)
GROUP(bombs)
GROUP(lying_sizes)
GROUP(data_elsewhere)
GROUP(names)
GROUP(known_crashes)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_files_are_held),     cmocka_unit_test(reaching_out_are_held),
		cmocka_unit_test(bombs_are_held),        cmocka_unit_test(lying_sizes_are_held),
		cmocka_unit_test(data_elsewhere_are_held), cmocka_unit_test(names_are_held),
		cmocka_unit_test(known_crashes_are_held),
	};
	return cmocka_run_group_tests(tests, start, finish);
}
