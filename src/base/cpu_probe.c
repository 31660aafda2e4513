/* cpu_probe.c - what this machine is. */
#define _GNU_SOURCE
#include "base/cpu_probe.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
/* The levels x86-64-v3 and v4 as far as the kernels use them.  clang 14 knows
 * neither their names nor "lzcnt", which every processor with BMI2 has. */
static bool
has_v3(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
	       && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2")
	       && __builtin_cpu_supports("popcnt");
}

static bool
has_v4(void)
{
	return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")
	       && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
}
#endif

const char *
wsi_cpu_isa(int i)
{
	const char *isa[4];
	int n = 0;
#if defined(__x86_64__)
	__builtin_cpu_init();
	if (has_v4())
		isa[n++] = "avx512";
	if (has_v3())
		isa[n++] = "avx2";
#elif defined(__aarch64__)
	isa[n++] = "neon";
#endif
	isa[n++] = "plain";
	return i >= 0 && i < n ? isa[i] : NULL;
}

bool
wsi_cpu_has(const char *isa)
{
	const char *name;
	for (int i = 0; (name = wsi_cpu_isa(i)); ++i)
		if (strcmp(name, isa) == 0)
			return true;
	return false;
}

/* Processors' worth of time that cgroup v2 grants; 0 where it sets no quota. */
static int
cgroup_quota(void)
{
	FILE *f = fopen("/sys/fs/cgroup/cpu.max", "r");
	if (!f)
		return 0;
	long quota = 0, period = 0;
	int n = fscanf(f, "%ld %ld", &quota, &period);
	fclose(f);
	return n == 2 && quota > 0 && period > 0 ? (int)((quota + period - 1) / period) : 0;
}

#ifdef __linux__
/* Processors that this process may run on.  The kernel refuses a set smaller than its own. */
static int
allowed(void)
{
	for (int most = 1024; most <= 1 << 20; most *= 4) {
		cpu_set_t *set = CPU_ALLOC(most);
		const size_t size = CPU_ALLOC_SIZE(most);
		const bool fits = set && sched_getaffinity(0, size, set) == 0;
		const int n = fits ? CPU_COUNT_S(size, set) : 0;
		CPU_FREE(set);
		if (fits)
			return n;
	}
	return 1;
}
#else
/* Processors that are switched on: here a process is not bound to some of them. */
static int
allowed(void)
{
	const long n = sysconf(_SC_NPROCESSORS_ONLN);
	return n > 0 && n <= 1 << 20 ? (int)n : 1;
}
#endif

int
wsi_cpu_threads(void)
{
	const int n = allowed(), quota = cgroup_quota();
	return quota > 0 && quota < n ? quota : n;
}
