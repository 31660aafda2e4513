/*
 * engine.c - the CPU's engine.
 *
 * Passes over rows are cut into stretches of samples, sifting into rows; a
 * long row among few is sifted by all threads as a team (sifter.h).
 */
#include "cpu/emd/engine.h"

#include <string.h>

/* Samples that a thread passes over at a time; samples from which on one signal is worth
 * sharing among threads. */
#define STRETCH 4096
#define SHARED_SAMPLES 16384
/* Stretches between two questions to the user. */
#define HEAR_EVERY 16

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

static size_t
row_bytes(wsi_engine *e)
{
	return e->params->samples * cpu(e)->ops->element;
}

/* ---- Passes over rows ----------------------------------------------------------- */

/* What is done to n samples: pointers to the operands' stretches. */
typedef struct stretch {
	const wsi_ops *ops;
	char *y;
	const char *a, *b;
	size_t n, row;
} stretch;

typedef struct pass pass;
struct pass {
	wsi_rows y, a, b;
	const double *scale;    /* [row] */
	const wsi_extent *of;   /* [row] */
	const bool *which;      /* [row] only these; NULL: all */
	double number;
	void (*one)(const pass *p, const stretch *s);
	wsi_engine *e;
};

static void
sum_one(const pass *p, const stretch *s)
{
	s->ops->sum_rows(s->y, s->a, p->a.stride / s->ops->element, p->a.n, s->n);
}

static void
pass_job(void *arg, int rank, int size)
{
	const pass *p = arg;
	const wsi_ops *ops = cpu(p->e)->ops;
	const size_t samples = p->e->params->samples, per_row = (samples + STRETCH - 1) / STRETCH;
	const size_t items = per_row * (size_t)p->y.n, k = (size_t)rank, threads = (size_t)size;
	/* A sum passes over many rows at every stretch. */
	const size_t every = p->one == sum_one ? 1 : HEAR_EVERY;
	for (size_t item = items * k / threads; item < items * (k + 1) / threads; ++item) {
		if (item % every == 0 && !wsi_goes_on(p->e->progress, rank))
			return;
		const size_t i = item / per_row, first = item % per_row * STRETCH;
		if (p->which && !p->which[i])
			continue;
		const size_t offset = first * ops->element;
		const stretch s = {
			.ops = ops, .y = (char *)row(p->y, i) + offset,
			.a = (char *)row(p->a, i) + offset, .b = (char *)row(p->b, i) + offset,
			.n = samples - first < STRETCH ? samples - first : STRETCH, .row = i,
		};
		p->one(p, &s);
	}
}

static void
run_pass(wsi_engine *e, pass p)
{
	p.e = e;
	/* Few stretches are done by one thread before the others would have woken. */
	if ((size_t)p.y.n * e->params->samples < 4 * STRETCH)
		pass_job(&p, 0, 1);
	else
		wsi_pool_run(&cpu(e)->pool, pass_job, &p);
}

static void
copy_one(const pass *p, const stretch *s)
{
	(void)p;
	memcpy(s->y, s->a, s->n * s->ops->element);
}

static void
zero_one(const pass *p, const stretch *s)
{
	(void)p;
	memset(s->y, 0, s->n * s->ops->element);
}

static void
subtract_one(const pass *p, const stretch *s)
{
	(void)p;
	s->ops->subtract(s->y, s->a, s->b, s->n);
}

static void
add_one(const pass *p, const stretch *s)
{
	(void)p;
	s->ops->add(s->y, s->a, s->b, s->n);
}

static void
divide_one(const pass *p, const stretch *s)
{
	s->ops->divide(s->y, s->a, p->number, s->n);
}

static void
shift_one(const pass *p, const stretch *s)
{
	const double by = p->of[s->row].offset;
	if (by != 0.0)
		s->ops->shift(s->y, s->a, by, s->n);
}

static void
put_one(const pass *p, const stretch *s)
{
	const wsi_extent *of = p->of ? &p->of[s->row] : NULL;
	if (of && (of->exponent || of->offset != 0.0))
		s->ops->scale(s->y, s->a, -of->exponent, of->offset, s->n);
	else
		copy_one(p, s);
}

static void
get_one(const pass *p, const stretch *s)
{
	const int exponent = p->of ? p->of[s->row].exponent : 0;
	if (exponent)
		s->ops->scale(s->y, s->a, exponent, 0.0, s->n);
	else
		copy_one(p, s);
}

static void
add_scaled_one(const pass *p, const stretch *s)
{
	s->ops->add_scaled(s->y, s->a, s->b, p->scale[s->row], s->n);
}

static void
copy(wsi_engine *e, wsi_rows y, wsi_rows a)
{
	run_pass(e, (pass){ .y = y, .a = a, .b = a, .one = copy_one });
}

static void
zero(wsi_engine *e, wsi_rows y)
{
	run_pass(e, (pass){ .y = y, .a = y, .b = y, .one = zero_one });
}

static void
subtract(wsi_engine *e, wsi_rows y, wsi_rows a, wsi_rows b)
{
	run_pass(e, (pass){ .y = y, .a = a, .b = b, .one = subtract_one });
}

static void
add(wsi_engine *e, wsi_rows y, wsi_rows a, wsi_rows b)
{
	run_pass(e, (pass){ .y = y, .a = a, .b = b, .one = add_one });
}

static void
divide(wsi_engine *e, wsi_rows y, wsi_rows a, double divisor)
{
	run_pass(e, (pass){ .y = y, .a = a, .b = a, .number = divisor, .one = divide_one });
}

static void
shift(wsi_engine *e, wsi_rows y, const wsi_extent *of)
{
	run_pass(e, (pass){ .y = y, .a = y, .b = y, .of = of, .one = shift_one });
}

static void
add_scaled(wsi_engine *e, wsi_rows y, wsi_rows a, wsi_rows b, const double *scale)
{
	run_pass(e, (pass){ .y = y, .a = a, .b = b, .scale = scale, .one = add_scaled_one });
}

static void
sum(wsi_engine *e, wsi_rows y, wsi_rows a)
{
	run_pass(e, (pass){ .y = wsi_some_rows(y, 0, 1), .a = a, .b = a, .one = sum_one });
}

/* All memory is equally near. */
static wsi_rows
take(wsi_engine *e, int n, wsi_use use)
{
	(void)use;
	const size_t stride = WSI_WORDS(e->params->samples) * WSI_WORD * cpu(e)->ops->element;
	return (wsi_rows){ wsi_arena_take(e->arena, (size_t)n * stride), stride, n };
}

/* Host memory is a row like any other here; nothing is written to a put one. */
static void
put(wsi_engine *e, wsi_rows rows, const void *host, size_t stride, const wsi_extent *of)
{
	const wsi_rows from = { (char *)host, stride, rows.n };
	run_pass(e, (pass){ .y = rows, .a = from, .b = from, .of = of, .one = put_one });
}

static void
get(wsi_engine *e, void *host, size_t stride, wsi_rows rows, const bool *which,
    const wsi_extent *of)
{
	run_pass(e, (pass){ .y = { host, stride, rows.n }, .a = rows, .b = rows, .which = which,
		            .of = of, .one = get_one });
}

static void
get_beside(wsi_engine *e, void *host, size_t stride, wsi_rows rows, const wsi_extent *of)
{
	get(e, host, stride, rows, NULL, of);
}

/* ---- Whole rows, each by one thread or by all together ------------------------------ */

typedef struct whole whole;
struct whole {
	wsi_rows a;
	void (*one)(const whole *w, wsi_sifter *s, int i);
	void (*together)(const whole *w, wsi_sifter *s, int rank, int i);
	const wsi_extent *input;      /* [row] */
	wsi_extent *extent;           /* [row] */
	double *mean, *std, *energy;  /* [row] */
	bool *oscillates;             /* [row] */
	uint32_t stream;
	int first, repeat;
	const wsi_sift_job *sift;
	wsi_engine *e;
	wsi_items rows;
};

static void
whole_job(void *arg, int rank, int size)
{
	whole *w = arg;
	(void)size;
	if (rank >= cpu(w->e)->n_sifters)
		return;
	for (size_t i; wsi_items_next(&w->rows, rank, &i);)
		w->one(w, &cpu(w->e)->sifters[rank], (int)i);
}

/* All threads on one row after the other. */
static void
together_job(void *arg, int rank, int size)
{
	const whole *w = arg;
	(void)size;
	/* Who asks does it while all are at the same row: all stop at the same one. */
	for (int i = 0; i < w->a.n && !wsi_cancelled(w->e->progress); ++i)
		w->together(w, &cpu(w->e)->sifters[0], rank, i);
}

static void
run_together(wsi_engine *e, whole *w)
{
	wsi_cpu_engine *c = cpu(e);
	w->e = e;
	wsi_sifter_team(&c->sifters[0], c->pool.size);
	wsi_pool_run(&c->pool, together_job, w);
	wsi_sifter_team(&c->sifters[0], 1);
}

static void
run_whole(wsi_engine *e, whole *w)
{
	w->e = e;
	w->rows = (wsi_items){ .count = (size_t)w->a.n, .progress = e->progress,
		.tells = w->sift };
	if (w->a.n == 1)
		whole_job(w, 0, 1);
	else
		wsi_pool_run(&cpu(e)->pool, whole_job, w);
}

static void
noise_one(const whole *w, wsi_sifter *s, int i)
{
	s->ops->noise(s->params->o.seed, w->stream, (uint32_t)((w->first + i) / w->repeat), s->n,
	              row(w->a, (size_t)i));
}

static void
extent_together(const whole *w, wsi_sifter *s, int rank, int i)
{
	wsi_extent extent = wsi_sifter_extent(s, rank, row(w->a, (size_t)i));
	if (rank == 0)
		w->extent[i] = extent;
}

static void
extent_one(const whole *w, wsi_sifter *s, int i)
{
	extent_together(w, s, 0, i);
}

static void
mean_std_one(const whole *w, wsi_sifter *s, int i)
{
	double mean;
	wsi_sifter_mean_std(s, row(w->a, (size_t)i), &mean, &w->std[i]);
	if (w->mean)
		w->mean[i] = mean;
}

static void
energy_one(const whole *w, wsi_sifter *s, int i)
{
	w->energy[i] = wsi_sifter_energy(s, row(w->a, (size_t)i));
}

static void
oscillates_one(const whole *w, wsi_sifter *s, int i)
{
	w->oscillates[i] = wsi_sifter_oscillates(s, 0, row(w->a, (size_t)i), w->input[i]);
}

static void
noise(wsi_engine *e, wsi_rows y, uint32_t stream, int first, int repeat)
{
	whole w = { .a = y, .stream = stream, .first = first, .repeat = repeat, .one = noise_one };
	run_whole(e, &w);
}

static void
extent(wsi_engine *e, wsi_rows a, wsi_extent *out)
{
	whole w = { .a = a, .extent = out, .one = extent_one, .together = extent_together };
	if (wsi_cpu_shares_rows(e->params, cpu(e)->pool.size, (size_t)a.n))
		run_together(e, &w);
	else
		run_whole(e, &w);
}

static void
mean_std(wsi_engine *e, wsi_rows a, double *mean, double *std)
{
	whole w = { .a = a, .mean = mean, .std = std, .one = mean_std_one };
	run_whole(e, &w);
}

static void
energy(wsi_engine *e, wsi_rows a, double *out)
{
	whole w = { .a = a, .energy = out, .one = energy_one };
	run_whole(e, &w);
}

static void
oscillates(wsi_engine *e, wsi_rows a, const wsi_extent *input, bool *out)
{
	whole w = { .a = a, .input = input, .oscillates = out, .one = oscillates_one };
	run_whole(e, &w);
}

/* ---- Sifting ------------------------------------------------------------------------ */

static bool
is_active(const wsi_sift_job *job, int i)
{
	return !job->active || job->active[i];
}

/* A row that is passed over. */
static void
pass_over(wsi_engine *e, const wsi_sift_job *job, int i)
{
	memset(row(job->out, (size_t)i), 0, row_bytes(e));
	job->sifted[i] = (wsi_sifted){ .sifts = 0 };
	if (job->std)
		job->std[i] = 0.0;
}

static void
sift_one(const whole *w, wsi_sifter *s, int i)
{
	if (is_active(w->sift, i))
		w->sift->sifted[i] = wsi_sifter_sift(s, 0, w->sift, i);
	else
		pass_over(w->e, w->sift, i);
}

static void
sift_together(const whole *w, wsi_sifter *s, int rank, int i)
{
	if (!is_active(w->sift, i)) {
		if (rank == 0)
			pass_over(w->e, w->sift, i);
		return;
	}
	wsi_sifted out = wsi_sifter_sift(s, rank, w->sift, i);
	if (rank == 0)
		w->sift->sifted[i] = out;
}

static void
sift(wsi_engine *e, const wsi_sift_job *job)
{
	whole w = { .a = job->r, .sift = job, .one = sift_one, .together = sift_together };
	size_t active = 0;
	for (int i = 0; i < job->r.n; ++i)
		active += is_active(job, i);
	if (wsi_cpu_shares_rows(e->params, cpu(e)->pool.size, active))
		run_together(e, &w);
	else
		run_whole(e, &w);
	if (wsi_cancelled(e->progress))
		memset(job->sifted, 0, (size_t)job->r.n * sizeof *job->sifted);
}

static void
sift_joint(wsi_engine *e, const wsi_joint_job *job)
{
	wsi_joint_sift(&cpu(e)->joint, &cpu(e)->pool, job);
	if (job->sifted->oscillates && !wsi_cancelled(e->progress))
		extent(e, job->r, job->left);
}

/* ---- Life ------------------------------------------------------------------------------ */

void
wsi_cpu_engine_layout(wsi_cpu_engine *c, const wsi_ops *ops, const wsi_params *params, int threads,
                      int rows, wsi_progress *progress, wsi_arena *arena)
{
	*c = (wsi_cpu_engine){
		.e = { .params = params, .progress = progress, .arena = arena,
		       .measuring = !arena->base, .modes_at_once = 1, .take = take, .put = put,
		       .get = get, .get_beside = get_beside, .copy = copy,
		       .zero = zero, .subtract = subtract, .add = add,
		       .divide = divide, .shift = shift, .add_scaled = add_scaled, .noise = noise,
		       .sum = sum, .extent = extent, .mean_std = mean_std, .energy = energy,
		       .oscillates = oscillates, .sift = sift, .sift_joint = sift_joint },
		.ops = ops, .threads = threads, .n_sifters = rows < threads ? rows : threads,
	};
	c->workers = wsi_arena_take(arena, (size_t)threads * sizeof *c->workers);
	c->sifters = wsi_arena_take(arena, (size_t)c->n_sifters * sizeof *c->sifters);
	for (int i = 0; i < c->n_sifters; ++i) {
		/* The first serves teams too, if there are any. */
		const int team = i == 0 && wsi_cpu_shares_rows(params, threads, 1) ? threads : 1;
		wsi_sifter s;
		wsi_sifter_layout(&s, ops, params, team, progress, arena);
		s.reports = i == 0;
		if (c->sifters)
			c->sifters[i] = s;
	}
	if (params->o.method == WS_METHOD_MEMD)
		wsi_joint_layout(&c->joint, ops, params, threads, progress, arena);
}

void
wsi_cpu_engine_start(wsi_cpu_engine *c)
{
	wsi_pool_start(&c->pool, c->threads, c->workers, c->e.progress);
}

void
wsi_cpu_engine_stop(wsi_cpu_engine *c)
{
	wsi_pool_stop(&c->pool);
}
