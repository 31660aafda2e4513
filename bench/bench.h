/*
 * bench.h - what the benchmark programs share: time, statistics, signals,
 * the machine's limits, our own decompositions, results as JSON.
 *
 * The programs exit with a message where something fails: a figure that
 * could not be measured is never printed.
 */
#ifndef BENCH_H
#define BENCH_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "wavesift/wavesift.h"

/* ---- Measuring ------------------------------------------------------------ */

double bench_now(void);                  /* seconds */
/* Seconds that this thread has computed: what one core takes, though others
 * may want the core too. */
double bench_cpu(void);
double bench_median(double *v, int n);   /* sorts v */
double bench_least(const double *v, int n);
void bench_die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
void *bench_alloc(size_t bytes);         /* zeroed, 64-byte aligned, touched; free() */

/* Seconds (bench_cpu) of one call: median of `runs` timings, each of as many calls as
 * fill `slice` seconds, after one call to warm up. */
double bench_time(void (*call)(void *), void *arg, int runs, double slice);

/* ---- Signals ---------------------------------------------------------------- */

/* White Gaussian noise, unit variance; always the same. */
void bench_white(ws_type type, size_t n, void *x);
/* Alternating extrema at random distances, `density` of them per sample. */
void bench_waves(ws_type type, size_t n, double density, void *x);

/* ---- Limits of the machine (limits.c) ------------------------------------------ */

/* Bytes read plus bytes written per ns by memcpy within a set of so many bytes. */
double bench_copy_rate(size_t set);
/* Independent multiply-adds in registers, `rounds` of them on every lane. */
void bench_fma(const char *isa, ws_type type, long rounds);
/* Of these, multiply-adds of one element per ns. */
double bench_fma_rate(const char *isa, ws_type type);

/* ---- wavesift (ours.c) ----------------------------------------------------------- */

typedef struct bench_ours {
	ws_ctx *ctx;
	ws_plan *plan;
	void *workspace;
	void *x;             /* white noise */
	void *modes, *residue;
	ws_buffer arrays[WS_EMD_ARRAYS];
	ws_io io;
	int32_t mode_count;
	size_t workspace_bytes, modes_bytes;
	double sifts;        /* of the whole signal, those of the noise counted in */
} bench_ours;

/* "emd" or "iceemdan", the two that are timed. */
const char *bench_method(const ws_emd_opts *opts);

/* One channel.  Sifts are counted by running once, where `count` asks for it. */
bench_ours *bench_ours_create(const ws_emd_opts *opts, ws_type type, size_t n, const char *isa,
                              int threads, bool count);
void bench_ours_destroy(bench_ours *b);
void bench_ours_run(void *b);

/* ---- Results ------------------------------------------------------------------------ */

/* Writes { program, command, machine, rows } to FOLDER/PROGRAM.json; steals rows. */
void bench_write(const char *folder, const char *program, json_t *rows);

#endif
