/*
 * engine.h - what the algorithms run on: rows of samples in a memory of the
 * engine's own, and operations on many rows at once.
 *
 * The CPU's engine (cpu/emd/engine.c) shares rows out among threads, or lets all
 * threads work on one row.  Results depend on neither.  What an operation
 * tells about rows (extents, counts of sifts) comes back in host memory;
 * samples leave only by get().
 *
 * Life: the algorithm is run once with a measuring engine, which hands out
 * no memory and is asked for layout only, then with the real one.
 */
#ifndef WSI_ENGINE_H
#define WSI_ENGINE_H

#include "base/arena.h"
#include "base/progress.h"
#include "ops/ops.h"
#include "ops/params.h"

/* n rows of params->samples, stride bytes apart; stride 0 repeats one row.
 * Rows are padded to whole words (ops.h). */
typedef struct wsi_rows {
	char *base;
	size_t stride;
	int n;
} wsi_rows;

static inline char *
wsi_row(wsi_rows rows, size_t i)
{
	return rows.base + i * rows.stride;
}

static inline wsi_rows
wsi_some_rows(wsi_rows rows, int first, int n)
{
	return (wsi_rows){ wsi_row(rows, (size_t)first), rows.stride, n };
}

/* The same row n times. */
static inline wsi_rows
wsi_row_repeated(wsi_rows rows, int i, int n)
{
	return (wsi_rows){ wsi_row(rows, (size_t)i), 0, n };
}

/* How often rows are looked at: all the time while they are worked on, or a
 * few times a mode, so that they may lie farther away. */
typedef enum wsi_use { WSI_USED_OFTEN, WSI_USED_SELDOM } wsi_use;

/*
 * Extent of a row: what rounding and tiny rests are measured by.  A row that stems from the
 * caller holds the caller's samples times 2^-exponent, minus offset (algo/algo.h).
 */
typedef struct wsi_extent {
	double low, high;        /* extremes */
	double range;            /* high - low */
	double magnitude;        /* max |x| */
	double offset;
	int exponent;
} wsi_extent;

/* Extremes of samples, in the caller's unit. */
typedef struct wsi_range { double low, high; } wsi_range;

/* Of a row with neither exponent nor offset. */
static inline wsi_extent
wsi_extent_of(double low, double high)
{
	const double a = low < 0.0 ? -low : low, b = high < 0.0 ? -high : high;
	const wsi_extent x = { low, high, high - low, a > b ? a : b, 0.0, 0 };
	return x;
}

/* What became of one row. */
typedef struct wsi_sifted {
	int sifts;
	bool oscillates;         /* false: it has no mode */
	bool untouched;          /* it was a mode as it stood: no sift was made */
	bool unfinished;         /* max_sifts came before the stop rule */
} wsi_sifted;

/* Sifts the fastest mode out of y_i = r_i, or r_i + scale[i] b_i. */
typedef struct wsi_sift_job {
	wsi_rows r, b;
	int members;             /* 0, or each row of r is sifted with each of as many rows of b:
	                            row i of all else is row i / members of r and i % members of b;
	                            only without deflate and more, and of engines that gather */
	wsi_rows beside;         /* rows of their own, after those of r: of them the fastest mode is
	                            sifted as part of a decomposition, and taken off.  At most
	                            wsi_engine.beside of them, and not where more is asked for */
	const double *scale;     /* [row] or NULL: b is not looked at */
	wsi_rows out;            /* the mode, zero where there is none; other rows than r, b */
	bool rest;               /* out is y minus the mode instead: y's local mean */
	bool deflate;            /* r -= mode */
	const bool *active;      /* [row] the others are passed over, with no mode; or NULL: all */
	const wsi_extent *input; /* [row] of the signal that r stems from */
	bool again;              /* input and scale are as for the last job, which had these rows */
	int max_sifts;
	bool step;               /* part of a decomposition: tiny rests and modes count as none */
	int mode;                /* number of the mode in the decomposition */
	bool bounded;            /* modes of a step after mode 0 that overshoot are none
	                            (mode_overshoots()) */
	/* Further modes of the same rows, each from what the one before has left; only with
	 * deflate, and without scale, rest and std.  Mode k of row i is row k r.n + i of out and
	 * of sifted.  Where there is no such mode, its row of out may be left as it was. */
	int more;
	wsi_sifted *sifted;      /* [row] */
	double *std;             /* [row] of out; or NULL */
} wsi_sift_job;

static inline int
wsi_sift_rows(const wsi_sift_job *sift)
{
	return (sift->members ? sift->r.n * sift->members : sift->r.n) + sift->beside.n;
}

static inline char *
wsi_sift_row(const wsi_sift_job *sift, int i)
{
	const int of = sift->members ? i / sift->members : i;
	return wsi_row(sift->r, (size_t)of);
}

static inline char *
wsi_sift_noise(const wsi_sift_job *sift, int i)
{
	const int of = sift->members ? i % sift->members : i;
	return wsi_row(sift->b, (size_t)of);
}

/* What a sift of channels together finds: the most extrema on any direction, and whether one has as
 * many crossings as extrema, give or take one (WS_STOP_FIX_H). */
typedef struct wsi_joint_found {
	int64_t extrema;
	bool agrees;
} wsi_joint_found;

/* The two halves of such a sift, of h[at] and into h[1 - at], as an engine makes them for the loop
 * that asks for them.  False: there is no envelope, or no more to be done. */
typedef struct wsi_joint_steps {
	bool (*find)(void *user, int at, wsi_joint_found *found);
	bool (*subtract)(void *user, int at, wsi_wants wants, wsi_sift_stats *stats);
	void *user;
} wsi_joint_steps;

/* Sifts the fastest mode out of the channels r together (multivariate EMD): out
 * is the mode, r the rest; both unchanged where there is none. */
typedef struct wsi_joint_job {
	wsi_rows r, out;         /* params->together rows; out are other rows than r */
	const wsi_extent *input; /* [row] of the signals that r stems from */
	int max_sifts;
	wsi_sifted *sifted;      /* one for all */
	wsi_extent *left;        /* [row] of r, where a mode was taken off */
	/* Sifts h[0] until the rule holds (algo/memd.c); which h is the mode. */
	int (*loop)(const wsi_params *params, int max_sifts, const wsi_joint_steps *steps,
	            wsi_sifted *sifted);
	/* Engines of several devices have the same job, of which each may do a share and look at
	 * the others' (base/peers.h); NULL: one alone has it. */
	struct wsi_peers *peers;
	int rank, size;
	bool (*meet)(struct wsi_peers *peers);
} wsi_joint_job;

typedef struct wsi_engine wsi_engine;
struct wsi_engine {
	const wsi_params *params;
	wsi_progress *progress;  /* asked now and then; reported to by the algorithm */
	wsi_arena *arena;        /* host memory, for the algorithm's small arrays */
	bool measuring;
	int modes_at_once;       /* modes that one job may ask for; more than one where that is
	                            worth the memory of their rows */

	int gathers;             /* rows of several channels that it is well asked for at once, so
	                            that few are waited for; 0: one channel after the other */
	int beside;              /* rows that a job may have beside its own; 0: none */

	const char *way;         /* how the first modes of all rows are sifted, where an engine has
	                            several ways to; or NULL */
	const char *took;        /* how those of the last job were; or NULL */

	/* Memory for n rows. */
	wsi_rows (*take)(wsi_engine *e, int n, wsi_use use);

	/* Copies rows from the host and back; the host's are stride bytes apart.  of: [row] scale
	 * and offset; NULL: as they are.  put: row = host 2^-exponent - offset; get: host = row
	 * 2^exponent, and get may change the rows. */
	void (*put)(wsi_engine *e, wsi_rows rows, const void *host, size_t stride,
	            const wsi_extent *of);
	/* which: only these rows; NULL: all. */
	void (*get)(wsi_engine *e, void *host, size_t stride, wsi_rows rows, const bool *which,
	            const wsi_extent *of);
	/* All, maybe beside what comes next: until the next get only sift_joint may write
	 * to these rows, and nobody looks at the host's. */
	void (*get_beside)(wsi_engine *e, void *host, size_t stride, wsi_rows rows,
	                   const wsi_extent *of);

	/* Row by row; y may be a, or b. */
	void (*copy)(wsi_engine *e, wsi_rows y, wsi_rows a);
	void (*zero)(wsi_engine *e, wsi_rows y);
	void (*subtract)(wsi_engine *e, wsi_rows y, wsi_rows a, wsi_rows b);
	void (*add)(wsi_engine *e, wsi_rows y, wsi_rows a, wsi_rows b);
	void (*divide)(wsi_engine *e, wsi_rows y, wsi_rows a, double divisor);
	/* y_i += of[i].offset; nothing is done to a row where that is 0. */
	void (*shift)(wsi_engine *e, wsi_rows y, const wsi_extent *of);
	/* y_i = a_i + scale[i] b_i */
	void (*add_scaled)(wsi_engine *e, wsi_rows y, wsi_rows a, wsi_rows b, const double *scale);
	/* Row i is white noise w of realization (first + i) / repeat. */
	void (*noise)(wsi_engine *e, wsi_rows y, uint32_t stream, int first, int repeat);
	/* Row i of y = the sum of a.n rows, in order, from row i * apart of a on. */
	void (*sum)(wsi_engine *e, wsi_rows y, wsi_rows a, int apart);

	/* About each row; mean and std (n - 1) in fixed order, mean may be NULL. */
	void (*extent)(wsi_engine *e, wsi_rows a, wsi_extent *out);
	void (*mean_std)(wsi_engine *e, wsi_rows a, double *mean, double *std);
	/* Sum of squares; about the mean where params->centred. */
	void (*energy)(wsi_engine *e, wsi_rows a, double *out);
	/* Would a step of a decomposition find anything to sift? */
	void (*oscillates)(wsi_engine *e, wsi_rows a, const wsi_extent *input, bool *out);

	void (*sift)(wsi_engine *e, const wsi_sift_job *job);
	/* The same of all channels together, on projections (WS_METHOD_MEMD). */
	void (*sift_joint)(wsi_engine *e, const wsi_joint_job *job);
};

#endif
