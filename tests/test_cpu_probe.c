/* test_cpu_probe.c - what the processor is said to have is what the compiler's library says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cpu_probe.h"

static void
test_instruction_sets(void **state)
{
	(void)state;
	assert_true(wsi_cpu_has("plain"));
#if defined(__x86_64__)
	__builtin_cpu_init();
	const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
	                && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2")
	                && __builtin_cpu_supports("popcnt");
	const bool v4 = v3 && __builtin_cpu_supports("avx512f") &&
		__builtin_cpu_supports("avx512dq")
	                && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
	assert_int_equal(wsi_cpu_has("avx2"), v3);
	assert_int_equal(wsi_cpu_has("avx512"), v4);
#endif
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_instruction_sets) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
