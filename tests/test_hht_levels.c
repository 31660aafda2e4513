/* test_hht_levels.c - how far a mode stands out: where some signals of noise have no modes, and
 * where the user has heard enough. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "transform/hht/work.h"

#define SIGNALS 50
#define MODES 2

static wsi_hht_point points[SIGNALS * MODES];
static double largest[SIGNALS];
static size_t first[MODES + 1];
static wsi_hht_sides sides[MODES];
static const double periods[MODES] = { 4.0, 64.0 };

/* Every signal but the last has one mode that stands out, the fast or the slow one by turns: of the
 * modes of a period half are above the line, but of nearly all signals one is. */
static wsi_hht_null
noise_by_turns(void)
{
	wsi_hht_null null = { .best = WS_BACKGROUND_WHITE, .points = points, .first = first,
		.sides = sides, .modes = MODES, .largest = largest,
		.longest = HUGE_VAL };
	null.of[null.best].model = null.best;
	for (int i = 0; i < SIGNALS; ++i)
		for (int k = 0; k < MODES; ++k)
			points[i * MODES + k] = (wsi_hht_point){ log(periods[k]),
				(i + k) % 2 ? 1.0 : -1.0, i,
				i + 1 < SIGNALS ? k : WSI_HHT_NO_MODE };
	return null;
}

static void
test_signal_without_modes(void **state)
{
	(void)state;
	wsi_progress progress;
	wsi_hht_null null = noise_by_turns();
	wsi_progress_init(&progress, NULL, NULL);
	wsi_hht_levels_make(&null, SIGNALS, &progress, 0);
	assert_true(isinf(largest[0]) && isfinite(largest[1]));
	/* On the line. */
	const wsi_hht_level at = wsi_hht_levels_at(&null, SIGNALS, 0, 1.0 / periods[0], periods[0],
	                                           0.9);
	assert_true(at.p > 0.45 && at.p < 0.55);
	assert_true(at.p_any > 0.95 && at.p_any <= 1.0);
	/* The slow one has no p, nor a part in that of any. */
	null = noise_by_turns();
	null.longest = log(32.0);
	wsi_hht_levels_make(&null, SIGNALS, &progress, 0);
	assert_true(largest[SIGNALS / 2 - 2] < 0.0);
	const wsi_hht_level slow = wsi_hht_levels_at(&null, SIGNALS, 1, 1.0 / periods[1],
	                                             periods[1], 0.9);
	assert_true(isnan(slow.p) && isnan(slow.p_any) && slow.high > slow.low);
}

/* Of many signals the points take seconds: any thread stops among them. */
static void
test_cancelled(void **state)
{
	(void)state;
	for (int rank = 0; rank < 2; ++rank) {
		wsi_progress progress;
		wsi_hht_null null = noise_by_turns();
		wsi_progress_init(&progress, NULL, NULL);
		wsi_progress_cancel(&progress);
		wsi_hht_levels_make(&null, SIGNALS, &progress, rank);
		for (int i = 0; i < SIGNALS; ++i)
			assert_true(isinf(largest[i]));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_signal_without_modes), cmocka_unit_test(test_cancelled),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
