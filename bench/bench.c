/* bench.c - time, statistics, signals, results: see bench.h. */
#include "bench.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ops/ops.h"

static double
seconds_of(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double
bench_now(void)
{
	return seconds_of(CLOCK_MONOTONIC);
}

double
bench_cpu(void)
{
	return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

double
bench_median(double *v, int n)
{
	qsort(v, (size_t)n, sizeof *v, by_value);
	return n % 2 ? v[n / 2] : 0.5 * (v[n / 2 - 1] + v[n / 2]);
}

double
bench_least(const double *v, int n)
{
	double least = v[0];
	for (int i = 1; i < n; ++i)
		least = v[i] < least ? v[i] : least;
	return least;
}

void
bench_die(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	fputs("bench: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	exit(1);
}

void *
bench_alloc(size_t bytes)
{
	size_t whole = (bytes + 4095) / 4096 * 4096;
	void *p = aligned_alloc(4096, whole ? whole : 4096);
	if (!p)
		bench_die("no memory for %zu bytes", bytes);
	memset(p, 0, whole);
	return p;
}

double
bench_time(void (*call)(void *), void *arg, int runs, double slice)
{
	call(arg);
	double t0 = bench_cpu();
	call(arg);
	double once = bench_cpu() - t0;
	long calls = once > 0.0 && once < slice ? (long)(slice / once) + 1 : 1;
	double seconds[runs];
	for (int i = 0; i < runs; ++i) {
		t0 = bench_cpu();
		for (long k = 0; k < calls; ++k)
			call(arg);
		seconds[i] = (bench_cpu() - t0) / (double)calls;
	}
	return bench_median(seconds, runs);
}

static void
put(ws_type type, void *x, size_t i, double v)
{
	if (type == WS_F64)
		((double *)x)[i] = v;
	else
		((float *)x)[i] = (float)v;
}

void
bench_white(ws_type type, size_t n, void *x)
{
	wsi_ops_find("plain", type)->noise(1, 0, 0, n, x);
}

void
bench_waves(ws_type type, size_t n, double density, void *x)
{
	unsigned state = 12345;
	double from = 0.0, sign = 1.0;
	for (size_t i = 0; i < n;) {
		double u[2];
		for (int k = 0; k < 2; ++k) {
			state = state * 1664525u + 1013904223u;
			u[k] = ((double)(state >> 8) + 0.5) / 0x1p24;
		}
		/* 1 sample and an exponential rest, rounded down, with the right mean. */
		double rest = 1.0 / density - 1.0;
		size_t length = 1 + (size_t)(-log(u[0]) / log1p(1.0 / rest));
		double to = sign * (0.5 + 0.5 * u[1]);
		for (size_t k = 1; k <= length && i < n; ++k, ++i) {
			double turn = 0.5 - 0.5 * cos(3.14159265358979 * (double)k / (double)length);
			put(type, x, i, from + (to - from) * turn);
		}
		from = to;
		sign = -sign;
	}
}

/* Model of the processor as Linux names it. */
static void
cpu_model(char *model, size_t size)
{
	snprintf(model, size, "unknown");
	FILE *f = fopen("/proc/cpuinfo", "r");
	char line[256];
	int family = 0, number = 0;
	while (f && fgets(line, sizeof line, f)) {
		char *value = strchr(line, ':');
		if (!value)
			continue;
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "model name", 10) == 0)
			snprintf(model, size, "%s", value + 2);
		else if (strncmp(line, "cpu family", 10) == 0)
			family = atoi(value + 2);
		else if (strncmp(line, "model\t", 6) == 0)
			number = atoi(value + 2);
	}
	if (f)
		fclose(f);
	/* Hypervisors hide the name; the family tells the generation. */
	size_t used = strlen(model);
	if (family)
		snprintf(model + used, size - used, " (family %d, model %d)", family, number);
}

static json_t *
machine(void)
{
	char cpu[160];
	cpu_model(cpu, sizeof cpu);
	double load = 0.0;
	if (getloadavg(&load, 1) != 1)
		load = 0.0;
	time_t now = time(NULL);
	char date[16];
	strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
	return json_pack("{s:s, s:i, s:s, s:f, s:s, s:s}", "cpu", cpu, "processors",
	                 (int)sysconf(_SC_NPROCESSORS_ONLN), "compiler", __VERSION__, "load", load,
	                 "version", ws_version(), "date", date);
}

void
bench_write(const char *folder, const char *program, json_t *rows)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/%s.json", folder, program);
	json_t *all = json_pack("{s:s, s:o, s:o}", "program", program, "machine", machine(), "rows",
	                        rows);
	if (!all || json_dump_file(all, path, JSON_INDENT(1) | JSON_REAL_PRECISION(5)) != 0)
		bench_die("%s: cannot write: %s", path, strerror(errno));
	json_decref(all);
	printf("-> %s\n", path);
}
