/* test_io_behind.c - large writes behind the caller's back. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <stdio.h>
#include <unistd.h>

#include "io/write/behind.h"
#include "io_test.h"

#define BYTES ((size_t)9 << 20)

static unsigned
next(unsigned *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

/* Where files are memory and several threads write, if there is such a place. */
static const char *
memory_path(const char *name)
{
	static char path[96];
	if (access("/dev/shm", W_OK) != 0)
		return test_path(name);
	snprintf(path, sizeof path, "/dev/shm/wavesift-%d-%s", (int)getpid(), name);
	return path;
}

/* Stretches of any length, one behind the other or elsewhere, some twice. */
static void
test_any_writes(void **state)
{
	(void)state;
	unsigned char *want = calloc(BYTES, 1), *got = calloc(BYTES, 1), *data = malloc(BYTES);
	for (size_t i = 0; i < BYTES; ++i)
		data[i] = (unsigned char)(i * 2654435761u >> 13);
	for (unsigned seed = 1; seed < 13; ++seed) {
		const int threads = seed % 3 ? 1 : 32;
		wsi_newfile file;
		assert_int_equal(wsi_newfile_open(&file, seed % 3 == 1 ? test_path("any.bin")
		                                  : memory_path("any.bin"), true), 0);
		const int fd = file.fd;
		wsi_behind *b = wsi_behind_open(fd, &file, threads);
		assert_non_null(b);
		unsigned r = seed;
		size_t at = 0;
		memset(want, 0, BYTES);
		for (int i = 0; i < 60; ++i) {
			const size_t most = next(&r) % 3 ? 1 << 16 : 3 << 20;
			size_t n = 1 + next(&r) % most;
			if (next(&r) % 4 == 0)
				at = next(&r) % BYTES;
			n = n < BYTES - at ? n : BYTES - at;
			/* Whoever writes something anew waits for what is on its way. */
			if (wsi_behind_holds(b, at, n))
				assert_int_equal(wsi_behind_wait(b), 0);
			wsi_behind_put(b, at, data + seed, n < BYTES - seed ? n : BYTES - seed);
			memcpy(want + at, data + seed, n < BYTES - seed ? n : BYTES - seed);
			at = (at + n) % BYTES;
		}
		assert_int_equal(wsi_behind_wait(b), 0);
		wsi_behind_close(b);
		memset(got, 0, BYTES);
		assert_true(pread(fd, got, BYTES, 0) >= 0);
		assert_memory_equal(got, want, BYTES);
		wsi_newfile_close(&file);
	}
	free(want);
	free(got);
	free(data);
}

/* A file that may not grow further looks like a full disk: told once, and nothing is
 * written after it. */
static void
fill(const char *path, int threads)
{
	wsi_newfile file;
	assert_int_equal(wsi_newfile_open(&file, path, true), 0);
	const int fd = file.fd;
	wsi_behind *b = wsi_behind_open(fd, &file, threads);
	struct rlimit before;
	char *data = calloc(BYTES, 1);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 2 << 20, before.rlim_max });
	for (int i = 0; i < 3; ++i)
		wsi_behind_put(b, (uint64_t)i * BYTES, data, BYTES);
	assert_int_equal(wsi_behind_wait(b), EFBIG);
	assert_int_equal(wsi_behind_error(b), EFBIG);
	setrlimit(RLIMIT_FSIZE, &before);
	wsi_behind_put(b, 3 * BYTES, data, BYTES);
	assert_int_equal(wsi_behind_wait(b), EFBIG);
	wsi_behind_close(b);
	struct stat st;
	fstat(fd, &st);
	assert_true(st.st_size <= 2 << 20);
	wsi_newfile_close(&file);
	free(data);
}

static void
test_full(void **state)
{
	(void)state;
	fill(test_path("full.bin"), 1);
	fill(memory_path("full.bin"), 1);
	fill(memory_path("full.bin"), 32);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_writes),
		cmocka_unit_test(test_full),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
