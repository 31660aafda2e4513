/*
 * test_teams.c - rows that several threads sift: who asks for a place in a team gets it or is
 * turned away, and results are the same bits with any number of threads, also where teams grow.
 */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/barrier.h"
#include "core_test.h"
#include "cpu/emd/door.h"

/* ---- The door -------------------------------------------------------------------------- */

#define GUESTS 5
#define MOST 4
#define EVENINGS 200

typedef struct house {
	wsi_door door;
	atomic_int taken, away, full; /* of those who asked */
	atomic_int at[MOST];          /* who has the place, in this evening */
	atomic_bool over;
} house;

/* Asks again and again; who is taken in has a place of its own until the host shuts the door. */
static void *
visit(void *arg)
{
	house *h = arg;
	while (!atomic_load(&h->over)) {
		wsi_ticket ticket;
		bool taken;
		if (!wsi_door_ask(&h->door, MOST, &ticket)) {
			atomic_fetch_add(&h->full, 1);
			wsi_barrier_relax(63);
			continue;
		}
		for (int i = 0; !wsi_door_answered(&h->door, &ticket, &taken); ++i)
			wsi_barrier_relax(i);
		atomic_fetch_add(taken ? &h->taken : &h->away, 1);
		if (taken)
			atomic_fetch_add(&h->at[ticket.rank], 1);
	}
	return NULL;
}

static void
test_door(void **state)
{
	(void)state;
	static house h;
	pthread_t guests[GUESTS];
	int all = 0;
	wsi_door_init(&h.door);
	for (int i = 0; i < GUESTS; ++i)
		assert_int_equal(pthread_create(&guests[i], NULL, visit, &h), 0);
	for (int evening = 0; evening < EVENINGS; ++evening) {
		int size = 1;
		assert_int_equal(wsi_door_size(&h.door), 0);
		wsi_door_open(&h.door, size);
		/* Sometimes shut before all places are taken. */
		for (int i = 0; i < 20 * (evening % 8) && size < MOST; ++i) {
			const int coming = wsi_door_take(&h.door, size);
			size += coming;
			assert_true(size <= MOST);
			all += coming;
			if (coming)
				wsi_door_answer(&h.door);
			/* A team meets those whom it takes in before it answers again. */
			do
				wsi_barrier_relax(63);
			while (atomic_load(&h.taken) < all);
		}
		wsi_door_shut(&h.door);
		/* Each place was given once. */
		for (int i = 0; i < MOST; ++i) {
			int got;
			do
				got = atomic_load(&h.at[i]);
			while (got == 0 && i > 0 && i < size);
			assert_int_equal(got, i > 0 && i < size);
			atomic_store(&h.at[i], 0);
		}
	}
	atomic_store(&h.over, true);
	for (int i = 0; i < GUESTS; ++i)
		pthread_join(guests[i], NULL);
	assert_int_equal(atomic_load(&h.taken), all);
	printf("%d taken in, %d turned away\n", all, atomic_load(&h.away));
	assert_true(all > 0);
}

/* ---- Teams ----------------------------------------------------------------------------- */

#define CHANNELS 3
#define SAMPLES 17000

static void
check_threads(ws_emd_opts o, ws_type type, const double *x)
{
	void *t = need(CHANNELS * (size_t)SAMPLES * type_size(type));
	to_type(type, x, CHANNELS * (size_t)SAMPLES, t);
	job j = { .shape = { .channels = CHANNELS, .samples = SAMPLES, .type = type }, .o = o,
		  .x = t, .threads = 1 };
	result one;
	must_decompose(&j, &one);
	/* Fewer threads than rows; teams, and some threads who have none and help. */
	static const int threads[] = { 2, 8, 11 };
	for (size_t i = 0; i < sizeof threads / sizeof *threads; ++i) {
		result many;
		j.threads = threads[i];
		must_decompose(&j, &many);
		if (!same_result(&one, &many))
			fail_msg("method %d: %d threads differ from one", o.method, threads[i]);
		result_free(&many);
	}
	result_free(&one);
	free(t);
}

static void
test_threads(void **state)
{
	(void)state;
	double *x = need(CHANNELS * (size_t)SAMPLES * sizeof *x);
	rng r = { 41 };
	for (size_t i = 0; i < CHANNELS * (size_t)SAMPLES; ++i)
		x[i] = rng_normal(&r) + 3 * sin((double)i * 0.01) + (i ? 0.9 * x[i - 1] : 0);
	check_threads((ws_emd_opts){ .method = WS_METHOD_EMD, .modes = 3, .sifts = 6 }, WS_F32, x);
	check_threads((ws_emd_opts){ .method = WS_METHOD_EMD, .modes = 2, .max_sifts = 12,
			.stop_rule = WS_STOP_SD, .boundary = WS_BOUNDARY_PERIODIC }, WS_F64, x);
	check_threads((ws_emd_opts){ .method = WS_METHOD_EEMD, .modes = 2, .realizations = 5,
			.sifts = 4 }, WS_F32, x);
	check_threads((ws_emd_opts){ .method = WS_METHOD_CEEMDAN, .modes = 2, .realizations = 3,
			.sifts = 4 }, WS_F32, x);
	check_threads((ws_emd_opts){ .method = WS_METHOD_ICEEMDAN, .modes = 2, .realizations = 33,
			.sifts = 3 }, WS_F32, x);
	free(x);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_door),
		cmocka_unit_test(test_threads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
