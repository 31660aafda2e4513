/* cpu_probe.c - the instruction sets that kernels may use, and the processors that this process
 * may: those of its affinity, or fewer where its control group has a quota. */
#define _GNU_SOURCE
#include "base/cpu_probe.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
/* Registers that the system saves for programs (XCR0): those of AVX, and of AVX-512 besides. */
#define SAVES_AVX 0x06u
#define SAVES_AVX512 0xe6u

/* What CPUID tells.  Asked here: __builtin_cpu_supports() says no to all in a build by zig. */
typedef struct cpuid {
	uint32_t c1, b7, saved; /* ecx of leaf 1, ebx of leaf 7; XCR0 */
} cpuid;

static cpuid
ask(void)
{
	const uint32_t osxsave = 1u << 27;
	cpuid id = { 0 };
	uint32_t a, b, c, d;
	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & osxsave))
		return id;
	id.c1 = c;
	if (__get_cpuid_count(7, 0, &a, &b, &c, &d))
		id.b7 = b;
	__asm__("xgetbv" : "=a"(id.saved), "=d"(d) : "c"(0));
	return id;
}

/* The levels x86-64-v3 and v4 as far as the kernels use them; LZCNT comes with BMI2. */
static bool
has_v3(const cpuid *id)
{
	const uint32_t fma = 1u << 12, popcnt = 1u << 23, bmi = 1u << 3, avx2 = 1u << 5,
		bmi2 = 1u << 8, c1 = fma | popcnt, b7 = bmi | avx2 | bmi2;
	return (id->c1 & c1) == c1 && (id->b7 & b7) == b7 && (id->saved & SAVES_AVX) == SAVES_AVX;
}

static bool
has_v4(const cpuid *id)
{
	const uint32_t f = 1u << 16, dq = 1u << 17, bw = 1u << 30, vl = 1u << 31,
		b7 = f | dq | bw | vl;
	return has_v3(id) && (id->b7 & b7) == b7 && (id->saved & SAVES_AVX512) == SAVES_AVX512;
}
#endif

/* Found once a process: CPUID traps in a virtual machine, and takes as long as a short row. */
static const char *sets[4];     /* NULL behind the last */
static pthread_once_t sets_found = PTHREAD_ONCE_INIT;

static void
find_sets(void)
{
	int n = 0;
#if defined(__x86_64__)
	const cpuid id = ask();
	if (has_v4(&id))
		sets[n++] = "avx512";
	if (has_v3(&id))
		sets[n++] = "avx2";
#elif defined(__aarch64__)
	sets[n++] = "neon";
#endif
	sets[n] = "plain";
}

const char *
wsi_cpu_isa(int i)
{
	pthread_once(&sets_found, find_sets);
	return i >= 0 && i < (int)(sizeof sets / sizeof *sets) ? sets[i] : NULL;
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

int
wsi_cpu_online(void)
{
	const long n = sysconf(_SC_NPROCESSORS_ONLN);
	return n > 0 && n <= 1 << 20 ? (int)n : 1;
}

#ifdef __linux__
/* Processors that this process may run on, which is the caller's to free; or NULL.  The kernel
 * refuses a set smaller than its own. */
static cpu_set_t *
allowed_set(size_t *size)
{
	for (int most = 1024; most <= 1 << 20; most *= 4) {
		cpu_set_t *set = CPU_ALLOC(most);
		*size = CPU_ALLOC_SIZE(most);
		if (set && sched_getaffinity(0, *size, set) == 0)
			return set;
		CPU_FREE(set);
	}
	return NULL;
}

static int
allowed(void)
{
	size_t size;
	cpu_set_t *set = allowed_set(&size);
	const int n = set ? CPU_COUNT_S(size, set) : 1;
	CPU_FREE(set);
	return n;
}

void
wsi_cpu_mask(unsigned char *mask, size_t bytes)
{
	size_t size;
	cpu_set_t *set = allowed_set(&size);
	memset(mask, 0, bytes);
	for (size_t k = 0; set && k < 8 * bytes && k < 8 * size; ++k)
		if (CPU_ISSET_S(k, size, set))
			mask[k / 8] |= (unsigned char)(1u << k % 8);
	CPU_FREE(set);
}
#else
/* Here a process is not bound to some of them. */
static int
allowed(void)
{
	return wsi_cpu_online();
}

void
wsi_cpu_mask(unsigned char *mask, size_t bytes)
{
	memset(mask, 0, bytes);
}
#endif

int
wsi_cpu_threads(void)
{
	const int n = allowed(), quota = cgroup_quota();
	return quota > 0 && quota < n ? quota : n;
}
