/*
 * test_barrier.c - the barrier of systems without futexes, built here too: nobody goes on before
 * all have come, whether they spin or have fallen asleep, and who is slow to leave takes no part in
 * what follows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

/* A thread that is interrupted whenever it has added to a number. */
static _Thread_local bool lingers;

static int
add_and_linger(atomic_int *to, int by)
{
	const int before = atomic_fetch_add_explicit(to, by, memory_order_seq_cst);
	const struct timespec span = { .tv_nsec = 50000000 };
	if (lingers)
		nanosleep(&span, NULL);
	return before;
}
#undef atomic_fetch_add
#define atomic_fetch_add(to, by) add_and_linger(to, by)

/* Beside the library's own. */
#define WSI_BARRIER_CONDITION
#define wsi_barrier_init   condition_init
#define wsi_barrier_wait   condition_wait
#define wsi_barrier_come   condition_come
#define wsi_barrier_await  condition_await
#define wsi_barrier_pass   condition_pass
#define wsi_barrier_resize condition_resize
#define wsi_barrier_relax  condition_relax
#include "base/barrier.c"

#define MEMBERS 4
#define CROSSINGS 400

typedef struct crossing {
	wsi_barrier barrier;
	atomic_int came[CROSSINGS], early;
} crossing;

typedef struct member {
	crossing *c;
	int rank;
} member;

/* Late by turns, by more than others spin, so that they sleep. */
static void *
cross(void *arg)
{
	const member *m = arg;
	crossing *c = m->c;
	for (int i = 0; i < CROSSINGS; ++i) {
		const struct timespec late = { .tv_nsec = 1000000 };
		if (i % 8 == 2 * m->rank)
			nanosleep(&late, NULL);
		atomic_fetch_add(&c->came[i], 1);
		wsi_barrier_wait(&c->barrier);
		if (atomic_load(&c->came[i]) != MEMBERS)
			atomic_fetch_add(&c->early, 1);
	}
	return NULL;
}

static void
test_all_come(void **state)
{
	static crossing c;
	pthread_t threads[MEMBERS];
	member members[MEMBERS];
	(void)state;
	wsi_barrier_init(&c.barrier, MEMBERS);
	for (int i = 0; i < MEMBERS; ++i) {
		members[i] = (member){ &c, i };
		assert_int_equal(pthread_create(&threads[i], NULL, cross, &members[i]), 0);
	}
	for (int i = 0; i < MEMBERS; ++i)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_int_equal(atomic_load(&c.early), 0);
	assert_int_equal(atomic_load(&c.barrier.asleep), 0);
}

/* Who waits for so long at most is back before the other has come, and again after it. */
static void
test_await(void **state)
{
	wsi_barrier b;
	(void)state;
	wsi_barrier_init(&b, 2);
	const int generation = wsi_barrier_come(&b);
	for (int i = 0; i < 3; ++i)
		assert_false(wsi_barrier_await(&b, generation, 0.002));
	wsi_barrier_pass(&b);
	assert_true(wsi_barrier_await(&b, generation, 0.002));
	assert_true(wsi_barrier_await(&b, generation, 0.0));
	assert_int_equal(atomic_load(&b.asleep), 0);
}

static void *
pass_slowly(void *arg)
{
	lingers = true;
	wsi_barrier_pass(arg);
	return NULL;
}

/* Who has come but is not through with that, while fewer are to meet next, is not one of these. */
static void
test_fewer_next(void **state)
{
	wsi_barrier b;
	pthread_t slow;
	(void)state;
	wsi_barrier_init(&b, 3);
	wsi_barrier_pass(&b);
	assert_int_equal(pthread_create(&slow, NULL, pass_slowly, &b), 0);
	while (atomic_load(&b.arrived) < 2)
		wsi_barrier_relax(YIELD_EVERY - 1);
	wsi_barrier_wait(&b);
	wsi_barrier_resize(&b, 2);
	const int now = wsi_barrier_come(&b);
	assert_int_equal(pthread_join(slow, NULL), 0);
	assert_false(wsi_barrier_await(&b, now, 0.002));
	wsi_barrier_pass(&b);
	assert_true(wsi_barrier_await(&b, now, 0.0));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_come), cmocka_unit_test(test_await),
		cmocka_unit_test(test_fewer_next),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
