/* test_nearest.c - which name a misspelled one may have meant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/nearest.h"

static const char *
nearest(const char *wanted)
{
	static const char *const names[] = { "emd", "eemd", "cwt", "coherence", "superlets", "Cz",
		"Pz", "EOG1", "" };
	wsi_nearest best = { .wanted = wanted, .length = strlen(wanted) };
	for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
		wsi_nearest_offer(&best, names[i]);
	return best.name ? best.name : "none";
}

static void
slips_of_the_finger_are_seen(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
		{ "EMD", "emd" }, { "ctw", "cwt" }, { "cwtt", "cwt" }, { "wt", "cwt" },
		{ "coherance", "coherence" }, { "choerence", "coherence" }, { "coher", "none" },
		{ "super-let", "superlets" }, { "Czz", "Cz" }, { "eog2", "EOG1" },
		/* Nothing is near these. */
		{ "trials", "none" }, { "", "none" }, { "c", "none" }, { "xyz", "none" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
		assert_string_equal(nearest(cases[i][0]), cases[i][1]);
}

static void
long_names_are_none(void **state)
{
	(void)state;
	char many[300];
	memset(many, 'a', sizeof many - 1);
	many[sizeof many - 1] = '\0';
	assert_string_equal(nearest(many), "none");
	wsi_nearest best = { .wanted = "aa", .length = 2 };
	wsi_nearest_offer(&best, many);
	assert_null(best.name);
}

static void
part_of_a_text_is_looked_for(void **state)
{
	(void)state;
	char text[WSI_NEAREST_TEXT];
	wsi_nearest best = { .wanted = "freqz=1:40", .length = 5 };
	assert_string_equal(wsi_nearest_tell(&best, text), "");
	wsi_nearest_offer(&best, "freqs");
	assert_string_equal(wsi_nearest_tell(&best, text), "; did you mean freqs?");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slips_of_the_finger_are_seen),
		cmocka_unit_test(long_names_are_none),
		cmocka_unit_test(part_of_a_text_is_looked_for),
	};
	return cmocka_run_group_tests_name("nearest", tests, NULL, NULL);
}
