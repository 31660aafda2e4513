/* test_ranks_cores.c - processors among the ranks of a machine: each is used once, and none idle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ranks_cores.h"

static void
bind(cli_cores *c, int from, int to)
{
	for (int core = from; core < to; core++)
		c->may[core / 8] |= (unsigned char)(1u << core % 8);
}

/* The threads of all ranks; each has at least `least`. */
static int
sum(const cli_cores *ranks, int n, int least)
{
	int all = 0;
	for (int i = 0; i < n; i++) {
		const int threads = cli_cores_share(ranks, n, i);
		assert_true(threads >= least);
		all += threads;
	}
	return all;
}

/* As with --bind-to none: all see all. */
static void
same_cores_are_divided(void **state)
{
	(void)state;
	for (int n = 1; n <= 9; n++)
		for (int cores = n; cores < 40; cores++) {
			cli_cores ranks[9] = { 0 };
			for (int i = 0; i < n; i++)
				bind(&ranks[i], 100, 100 + cores);
			assert_int_equal(sum(ranks, n, cores / n), cores);
		}
}

static void
own_cores_are_kept(void **state)
{
	(void)state;
	cli_cores ranks[3] = { 0 };
	bind(&ranks[0], 0, 4);
	bind(&ranks[1], 4, 20);
	bind(&ranks[2], CLI_CORES - 1, CLI_CORES);
	assert_int_equal(cli_cores_share(ranks, 3, 0), 4);
	assert_int_equal(cli_cores_share(ranks, 3, 1), 16);
	assert_int_equal(cli_cores_share(ranks, 3, 2), 1);
}

/* Two sockets, two ranks on each. */
static void
groups_divide_theirs(void **state)
{
	(void)state;
	cli_cores ranks[4] = { 0 };
	for (int i = 0; i < 4; i++)
		bind(&ranks[i], i / 2 * 8, i / 2 * 8 + 8);
	for (int i = 0; i < 4; i++)
		assert_int_equal(cli_cores_share(ranks, 4, i), 4);
}

static void
nobody_is_without(void **state)
{
	(void)state;
	cli_cores ranks[4] = { 0 };
	for (int i = 0; i < 3; i++)
		bind(&ranks[i], 0, 2);
	/* The fourth is not told of any. */
	assert_int_equal(sum(ranks, 4, 1), 4);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_cores_are_divided),
		cmocka_unit_test(own_cores_are_kept),
		cmocka_unit_test(groups_divide_theirs),
		cmocka_unit_test(nobody_is_without),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
