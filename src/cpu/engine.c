/*
 * engine.c - the CPU's engine.
 *
 * Passes over rows are cut into segments of samples, sifting into rows; a
 * long row among few is sifted by a team (sifter.h).
 */
#include "cpu/engine.h"

#include <string.h>

#include "base/threads.h"

/* Samples that one thread passes over at a time, and below which a signal is
 * not worth sharing. */
#define SEGMENT 4096
#define SHARED_SAMPLES 16384

bool
wsi_cpu_shares_rows(const wsi_params *params, int threads, size_t rows)
{
	return threads > 1 && rows < (size_t)threads && params->samples >= SHARED_SAMPLES;
}

int
wsi_cpu_good_rows(const wsi_params *params, const wsi_ops *ops, int threads)
{
	const size_t little = (size_t)64 << 20, row = params->samples * ops->element;
	const size_t least = 4 * (size_t)threads, most = 64 * (size_t)threads;
	size_t rows = little / row;
	return (int)(rows < least ? least : rows > most ? most : rows);
}

/* ---- Passes over rows ----------------------------------------------------------- */

static wsi_cpu_engine *
cpu(wsi_engine *e)
{
	return (wsi_cpu_engine *)e;
}

static void *
row(wsi_rows rows, size_t i)
{
	return rows.base + i * rows.stride;
}

/* A stretch of a row. */
typedef struct stretch {
	size_t row, offset;     /* bytes from the row's start */
	size_t n;               /* samples */
} stretch;

static stretch
stretch_of(const wsi_engine *e, const wsi_ops *ops, size_t item)
{
	const size_t samples = e->params->samples, segments = (samples + SEGMENT - 1) / SEGMENT;
	const size_t first = item % segments * SEGMENT;
	return (stretch){ item / segments, first * ops->element,
		          samples - first < SEGMENT ? samples - first : SEGMENT };
}

/* Does `statement`, which names s, to every stretch of n rows. */
#define FOR_STRETCHES(e, rows_n, statement)                                                       \
	do {                                                                                      \
		const wsi_ops *ops = cpu(e)->ops;                                                 \
		const size_t items = (size_t)(rows_n) * ((e->params->samples + SEGMENT - 1) / SEGMENT); \
		_Pragma("omp parallel for num_threads(cpu(e)->threads) schedule(static) if (items > 1)") \
		for (size_t item = 0; item < items; ++item) {                                     \
			const stretch s = stretch_of(e, ops, item);                               \
			statement;                                                                \
		}                                                                                 \
	} while (0)

/* The stretch of one of the operands. */
#define PART(rows) ((char *)row((rows), s.row) + s.offset)

static wsi_rows
take(wsi_engine *e, int n)
{
	const size_t stride = WSI_WORDS(e->params->samples) * WSI_WORD * cpu(e)->ops->element;
	return (wsi_rows){ wsi_arena_take(e->arena, (size_t)n * stride), stride, n };
}

static void
put(wsi_engine *e, wsi_rows rows, int i, const void *host)
{
	memcpy(row(rows, (size_t)i), host, e->params->samples * cpu(e)->ops->element);
}

static void
get(wsi_engine *e, void *host, wsi_rows rows, int i)
{
	memcpy(host, row(rows, (size_t)i), e->params->samples * cpu(e)->ops->element);
}

static void
copy(wsi_engine *e, wsi_rows y, wsi_rows a)
{
	FOR_STRETCHES(e, y.n, memcpy(PART(y), PART(a), s.n * ops->element));
}

static void
zero(wsi_engine *e, wsi_rows y)
{
	FOR_STRETCHES(e, y.n, memset(PART(y), 0, s.n * ops->element));
}

static void
subtract(wsi_engine *e, wsi_rows y, wsi_rows a, wsi_rows b)
{
	FOR_STRETCHES(e, y.n, ops->subtract(PART(y), PART(a), PART(b), s.n));
}

static void
add(wsi_engine *e, wsi_rows y, wsi_rows a, wsi_rows b)
{
	FOR_STRETCHES(e, y.n, ops->add(PART(y), PART(a), PART(b), s.n));
}

static void
divide(wsi_engine *e, wsi_rows y, wsi_rows a, double divisor)
{
	FOR_STRETCHES(e, y.n, ops->divide(PART(y), PART(a), divisor, s.n));
}

static void
add_scaled(wsi_engine *e, wsi_rows y, wsi_rows a, wsi_rows b, const double *scale)
{
	FOR_STRETCHES(e, y.n, ops->add_scaled(PART(y), PART(a), PART(b), scale[s.row], s.n));
}

static void
sum(wsi_engine *e, wsi_rows y, wsi_rows a)
{
	FOR_STRETCHES(e, 1, ops->sum_rows(PART(y), PART(a), a.stride / ops->element, a.n, s.n));
}

/* ---- Whole rows ------------------------------------------------------------------- */

/* Does `statement`, which names i and the thread's sifter s, to n rows. */
#define FOR_ROWS(e, rows_n, statement)                                                            \
	do {                                                                                      \
		wsi_cpu_engine *c = cpu(e);                                                       \
		const int threads = (rows_n) < c->threads ? (rows_n) : c->threads;                \
		_Pragma("omp parallel for num_threads(threads) schedule(dynamic, 1) if (threads > 1)") \
		for (int i = 0; i < (rows_n); ++i) {                                              \
			wsi_sifter *s = &c->sifters[wsi_thread_rank()];                           \
			statement;                                                                \
		}                                                                                 \
	} while (0)

static void
noise(wsi_engine *e, wsi_rows y, uint32_t stream, int first, int repeat)
{
	FOR_ROWS(e, y.n, s->ops->noise(e->params->o.seed, stream, (uint32_t)((first + i) / repeat),
	                               e->params->samples, row(y, (size_t)i)));
}

static void
extent(wsi_engine *e, wsi_rows a, wsi_extent *out)
{
	FOR_ROWS(e, a.n, out[i] = wsi_sifter_extent(s, 0, row(a, (size_t)i)));
}

static void
mean_std(wsi_engine *e, wsi_rows a, double *mean, double *std)
{
	FOR_ROWS(e, a.n, {
		double m;
		wsi_sifter_mean_std(s, row(a, (size_t)i), &m, &std[i]);
		if (mean)
			mean[i] = m;
	});
}

static void
energy(wsi_engine *e, wsi_rows a, double *out)
{
	FOR_ROWS(e, a.n, out[i] = wsi_sifter_energy(s, row(a, (size_t)i)));
}

static void
oscillates(wsi_engine *e, wsi_rows a, const wsi_extent *input, bool *out)
{
	FOR_ROWS(e, a.n, out[i] = wsi_sifter_oscillates(s, 0, row(a, (size_t)i), input[i]));
}

/* A row that is passed over. */
static wsi_sifted
pass_over(wsi_engine *e, const wsi_sift_job *job, int i)
{
	memset(row(job->out, (size_t)i), 0, e->params->samples * cpu(e)->ops->element);
	if (job->std)
		job->std[i] = 0.0;
	return (wsi_sifted){ .sifts = 0 };
}

static bool
is_active(const wsi_sift_job *job, int i)
{
	return !job->active || job->active[i];
}

/* All threads on one row after the other. */
static void
sift_together(wsi_engine *e, const wsi_sift_job *job)
{
	wsi_sifter *s = &cpu(e)->sifters[0];
#pragma omp parallel num_threads(cpu(e)->threads)
	{
		/* The runtime may give fewer threads than asked for. */
#pragma omp single
		wsi_sifter_team(s, wsi_team_size());
		const int rank = wsi_thread_rank();
		for (int i = 0; i < job->r.n; ++i) {
			if (!is_active(job, i))
				continue;
			wsi_sifted out = wsi_sifter_sift(s, rank, job, i);
			if (rank == 0)
				job->sifted[i] = out;
		}
	}
	wsi_sifter_team(s, 1);
}

static void
sift(wsi_engine *e, const wsi_sift_job *job)
{
	size_t active = 0;
	for (int i = 0; i < job->r.n; ++i) {
		if (is_active(job, i))
			active++;
		else
			job->sifted[i] = pass_over(e, job, i);
	}
	if (wsi_cpu_shares_rows(e->params, cpu(e)->threads, active)) {
		sift_together(e, job);
		return;
	}
	atomic_size_t done;
	atomic_init(&done, 0);
	FOR_ROWS(e, job->r.n, {
		if (wsi_cancelled(e->progress))
			job->sifted[i] = (wsi_sifted){ .sifts = 0 };
		else if (is_active(job, i))
			job->sifted[i] = wsi_sifter_sift(s, 0, job, i);
		size_t rows = atomic_fetch_add(&done, 1) + 1;
		if (s->reports)
			wsi_progress_part(e->progress, (double)rows / job->r.n);
	});
}

void
wsi_cpu_engine_layout(wsi_cpu_engine *c, const wsi_ops *ops, const wsi_params *params, int threads,
                      int rows, wsi_progress *progress, wsi_arena *arena)
{
	*c = (wsi_cpu_engine){
		.e = { .params = params, .progress = progress, .arena = arena,
		       .measuring = !arena->base, .take = take, .put = put, .get = get, .copy = copy,
		       .zero = zero, .subtract = subtract, .add = add, .divide = divide,
		       .add_scaled = add_scaled, .noise = noise, .sum = sum, .extent = extent,
		       .mean_std = mean_std, .energy = energy, .oscillates = oscillates, .sift = sift },
		.ops = ops, .threads = threads,
	};
	const int sifters = rows < threads ? rows : threads;
	c->sifters = wsi_arena_take(arena, (size_t)sifters * sizeof *c->sifters);
	for (int i = 0; i < sifters; ++i) {
		/* The first serves teams too, if there are any. */
		const int team = i == 0 && wsi_cpu_shares_rows(params, threads, 1) ? threads : 1;
		wsi_sifter s;
		wsi_sifter_layout(&s, ops, params, team, progress, arena);
		s.reports = i == 0;
		if (c->sifters)
			c->sifters[i] = s;
	}
}
