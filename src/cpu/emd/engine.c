/*
 * engine.c - the CPU's engine.
 *
 * Passes over rows are cut into stretches of samples, sifting into rows.  Long rows, where there
 * are fewer than threads, are each sifted by a team of these (sifter.h); and who finds no row left
 * to begin helps with one at work.
 */
#include "cpu/emd/engine.h"

#include <string.h>

/* Samples that a thread passes over at a time; stretches that are worth waking one for. */
#define STRETCH 4096
#define STRETCHES_EACH 4
/* Samples from which on one signal is worth sharing among threads, and those of each: a sift of
 * fewer takes no longer than two meetings. */
#define SHARED_SAMPLES 16384
#define SAMPLES_EACH 2048
/* Rows for each thread that are worked on before the last is waited for, if they take no more
 * memory than this. */
#define GATHERED 16
#define GATHERED_BYTES ((size_t)256 << 20)
/* Threads from which on those who have no row left help: among fewer there is little to gain, and
 * much to lose where other programs have the processors. */
#define HELPING 8
/* Turns of looking for a row to help with, while others have rows whose sifts have yet to
 * begin. */
#define LOOKS 4096
/* Stretches between two questions to the user. */
#define HEAR_EVERY 16

bool
wsi_cpu_shares_rows(const wsi_params *params, int threads, size_t rows)
{
	return threads > 1 && rows < (size_t)threads && params->samples >= SHARED_SAMPLES;
}

/* Threads that may share a row. */
static int
most_together(const wsi_params *params, int threads)
{
	const size_t most = params->samples / SAMPLES_EACH;
	return !wsi_cpu_shares_rows(params, threads, 1) ? 1
	       : most < (size_t)threads                 ? (int)most
	                                                : threads;
}

int
wsi_cpu_good_rows(const wsi_params *params, const wsi_ops *ops, int threads)
{
	const size_t little = (size_t)64 << 20, row = params->samples * ops->element;
	const size_t least = 4 * (size_t)threads, most = 64 * (size_t)threads;
	size_t rows = little / row;
	return (int)(rows < least ? least : rows > most ? most : rows);
}

static int
gathered(const wsi_params *params, const wsi_ops *ops, int threads)
{
	const size_t most = GATHERED_BYTES / (params->samples * ops->element);
	const size_t wanted = GATHERED * (size_t)threads;
	return (int)(wanted < most ? wanted : most);
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
	int apart;              /* rows of a between those of two rows of y */
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
		const size_t a = p->apart ? i * (size_t)p->apart : i;
		const stretch s = {
			.ops = ops, .y = (char *)row(p->y, i) + offset,
			.a = (char *)row(p->a, a) + offset, .b = (char *)row(p->b, i) + offset,
			.n = samples - first < STRETCH ? samples - first : STRETCH, .row = i,
		};
		p->one(p, &s);
	}
}

static void
run_pass(wsi_engine *e, pass p)
{
	p.e = e;
	/* Few stretches are done by one thread before others would have woken. */
	const size_t samples = (size_t)p.y.n * e->params->samples;
	const size_t stretches = samples / STRETCH, each = p.one == sum_one ? 1 : STRETCHES_EACH;
	if (stretches < STRETCHES_EACH)
		pass_job(&p, 0, 1);
	else
		wsi_pool_run_some(&cpu(e)->pool, stretches / each + 1, pass_job, &p);
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
sum(wsi_engine *e, wsi_rows y, wsi_rows a, int apart)
{
	run_pass(e, (pass){ .y = y, .a = a, .b = y, .apart = apart, .one = sum_one });
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
	const bool *which;            /* [row] those that are shared by teams; NULL: all */
	const wsi_extent *input;      /* [row] */
	wsi_extent *extent;           /* [row] */
	double *mean, *std, *energy;  /* [row] */
	bool *oscillates;             /* [row] */
	uint32_t stream;
	int first, repeat;
	const wsi_sift_job *sift;
	wsi_engine *e;
	wsi_items rows;
	int teams, team;              /* and the threads of each */
	atomic_int at_work;           /* threads that have rows, or teams */
};

/* The sifter whose team is the smallest of those that take others in; or NULL. */
static wsi_sifter *
smallest_team(wsi_cpu_engine *c)
{
	wsi_sifter *found = NULL;
	int least = c->most;
	for (int i = 0; i < c->n_sifters; ++i) {
		const int size = wsi_door_size(&c->sifters[i].door);
		if (size == 0 || size >= least)
			continue;
		least = size;
		found = &c->sifters[i];
	}
	return found;
}

/* Asks to be let into a team, and works in it until its row is done. */
static void
join(const whole *w, wsi_sifter *s, int rank)
{
	wsi_cpu_engine *c = cpu(w->e);
	wsi_ticket ticket;
	bool taken = false;
	if (!wsi_door_ask(&s->door, c->most, &ticket))
		return;
	for (int i = 0; !wsi_door_answered(&s->door, &ticket, &taken); ++i) {
		wsi_barrier_relax(i);
		if (rank == 0 && i % LOOKS == 0)
			wsi_progress_poll(w->e->progress);
	}
	if (taken)
		wsi_sifter_join(s, ticket.rank, &c->members[rank]);
}

static bool
helps(const whole *w)
{
	const wsi_cpu_engine *c = cpu(w->e);
	return w->sift && c->most > 1 && c->pool.size >= HELPING;
}

/* A thread that has no row left to begin, until nobody has, or all have help enough. */
static void
help(whole *w, int rank)
{
	wsi_cpu_engine *c = cpu(w->e);
	atomic_fetch_sub(&w->at_work, 1);
	if (!helps(w))
		return;
	for (int i = 0; i < LOOKS && atomic_load(&w->at_work) > 0; ++i) {
		wsi_sifter *s = smallest_team(c);
		if (s) {
			join(w, s, rank);
			i = 0;
		} else {
			wsi_barrier_relax(i);
		}
	}
}

static void
whole_job(void *arg, int rank, int size)
{
	whole *w = arg;
	wsi_cpu_engine *c = cpu(w->e);
	(void)size;
	if (rank < c->n_sifters) {
		wsi_sifter *s = &c->sifters[rank];
		for (size_t i; wsi_items_next(&w->rows, rank, &i);) {
			wsi_sifter_team(s, &c->members[rank], 1);
			w->one(w, s, (int)i);
		}
	}
	help(w, rank);
}

/* Row i of those that are shared. */
static int
shared_row(const whole *w, int i)
{
	for (int k = 0;; ++k)
		if ((!w->which || w->which[k]) && i-- == 0)
			return k;
}

/* Teams, each on a row of its own. */
static void
together_job(void *arg, int rank, int size)
{
	whole *w = arg;
	wsi_cpu_engine *c = cpu(w->e);
	const int team = rank / w->team;
	(void)size;
	if (team < w->teams)
		w->together(w, &c->sifters[team], rank % w->team, shared_row(w, team));
	help(w, rank);
}

static bool
shares_rows(wsi_engine *e, int rows)
{
	const wsi_cpu_engine *c = cpu(e);
	return rows <= c->n_sifters && wsi_cpu_shares_rows(e->params, c->pool.size, (size_t)rows);
}

/* Of `rows` rows, fewer than threads. */
static void
run_together(wsi_engine *e, whole *w, int rows)
{
	wsi_cpu_engine *c = cpu(e);
	const int each = rows ? c->pool.size / rows : 0;
	w->e = e;
	w->teams = rows;
	w->team = each < c->most ? each : c->most;
	if (rows == 0 || wsi_cancelled(e->progress))
		return;
	for (int i = 0; i < rows; ++i)
		wsi_sifter_team(&c->sifters[i], &c->members[i * w->team], w->team);
	/* Full teams take in nobody. */
	const int working = helps(w) && w->team < c->most ? c->pool.size : rows * w->team;
	atomic_init(&w->at_work, working);
	wsi_pool_run_some(&c->pool, (size_t)working, together_job, w);
}

static void
run_whole(wsi_engine *e, whole *w)
{
	wsi_cpu_engine *c = cpu(e);
	const size_t rows = (size_t)w->a.n, threads = (size_t)c->pool.size;
	w->e = e;
	const size_t working = rows > threads || helps(w) ? threads : rows;
	w->rows = (wsi_items){ .count = rows, .progress = e->progress, .tells = w->sift };
	atomic_init(&w->at_work, (int)working);
	wsi_pool_run_some(&c->pool, rows == 1 ? 1 : working, whole_job, w);
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
	if (shares_rows(e, a.n))
		run_together(e, &w, a.n);
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
	wsi_sifted out = wsi_sifter_sift(s, rank, w->sift, i);
	if (rank == 0)
		w->sift->sifted[i] = out;
}

/* Rows, fewer than threads, each by a team; the others are passed over. */
static void
sift_by_teams(wsi_engine *e, const wsi_sift_job *job, int active)
{
	whole w = { .a = job->out, .which = job->active, .sift = job, .together = sift_together };
	for (int i = 0; i < wsi_sift_rows(job); ++i)
		if (!is_active(job, i))
			pass_over(e, job, i);
	run_together(e, &w, active);
}

static void
sift(wsi_engine *e, const wsi_sift_job *job)
{
	const int rows = wsi_sift_rows(job);
	whole w = { .a = wsi_some_rows(job->out, 0, rows), .sift = job, .one = sift_one };
	int active = 0;
	for (int i = 0; i < rows; ++i)
		active += is_active(job, i);
	if (shares_rows(e, active))
		sift_by_teams(e, job, active);
	else
		run_whole(e, &w);
	if (wsi_cancelled(e->progress))
		memset(job->sifted, 0, (size_t)rows * sizeof *job->sifted);
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
		       .measuring = !arena->base, .modes_at_once = 1,
		       .gathers = gathered(params, ops, threads), .take = take, .put = put,
		       .get = get, .get_beside = get_beside, .copy = copy,
		       .zero = zero, .subtract = subtract, .add = add,
		       .divide = divide, .shift = shift, .add_scaled = add_scaled, .noise = noise,
		       .sum = sum, .extent = extent, .mean_std = mean_std, .energy = energy,
		       .oscillates = oscillates, .sift = sift, .sift_joint = sift_joint },
		.ops = ops, .threads = threads, .n_sifters = rows < threads ? rows : threads,
	};
	c->workers = wsi_arena_take(arena, (size_t)threads * sizeof *c->workers);
	c->sifters = wsi_arena_take(arena, (size_t)c->n_sifters * sizeof *c->sifters);
	c->most = most_together(params, threads);
	for (int i = 0; i < c->n_sifters; ++i) {
		wsi_sifter s;
		wsi_sifter_layout(&s, ops, params, c->most, progress, arena);
		if (c->sifters) {
			c->sifters[i] = s;
			wsi_sifter_start(&c->sifters[i]);
		}
	}
	const int members = c->most > 1 ? threads : c->n_sifters;
	c->members = wsi_arena_take(arena, (size_t)members * sizeof *c->members);
	for (int i = 0; i < members; ++i)
		wsi_member_layout(c->members ? &c->members[i] : NULL, ops, arena);
	if (c->members)
		c->members[0].reports = true;
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
