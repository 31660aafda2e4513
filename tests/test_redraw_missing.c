/* test_redraw_missing.c - a result that lost an array which its figure shows is damaged. */
#define _GNU_SOURCE
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <hdf5.h>

static char program[4096], folder[128];

/* The exit status of the program, of which nothing is seen. */
static int
run(const char *arguments)
{
	char line[8192];
	snprintf(line, sizeof line, "'%s' %s >out 2>&1", program, arguments);
	const int status = system(line);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void
test_significance(void **state)
{
	static const char *const lost[] = { "noise_model", "noise_slope" };
	(void)state;
	FILE *f = fopen("x.csv", "w");
	assert_non_null(f);
	fputs("a\n", f);
	for (int i = 0; i < 64; ++i)
		fprintf(f, "%.3f\n", sin(0.9 * i) + sin(2.3 * i * i));
	assert_int_equal(fclose(f), 0);
	for (size_t i = 0; i < sizeof lost / sizeof *lost; ++i) {
		assert_int_equal(run("hht x.csv --fs 100 --noise-signals 50 -o r.h5 "
		                     "--overwrite"), 0);
		assert_int_equal(run("plot r.h5 --figure significance -o r.svg --overwrite"), 0);
		const hid_t file = H5Fopen("r.h5", H5F_ACC_RDWR, H5P_DEFAULT);
		const hid_t group = H5Gopen2(file, "hht", H5P_DEFAULT);
		assert_true(H5Ldelete(group, lost[i], H5P_DEFAULT) >= 0);
		H5Gclose(group);
		assert_true(H5Fclose(file) >= 0);
		assert_int_equal(run("plot r.h5 --figure significance -o r.svg --overwrite"), 3);
		assert_int_equal(system("grep -q 'p_any' out"), 0);
	}
}

static int
set_up(void **state)
{
	const char *build = getenv("WAVESIFT_BUILD"), *tmp = getenv("TMPDIR");
	char given[4096];
	(void)state;
	snprintf(given, sizeof given, "%.4000s/wavesift", build ? build : ".");
	if (!realpath(given, program))
		return -1;
	snprintf(folder, sizeof folder, "%.64s/wavesift-redraw-XXXXXX", tmp ? tmp : "/tmp");
	return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int
tear_down(void **state)
{
	char removal[160];
	(void)state;
	snprintf(removal, sizeof removal, "rm -rf %s", folder);
	return chdir("/") == 0 ? system(removal) : -1;
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_significance) };
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
