/*
 * engine.c - the CPU's engine, but for passes over rows (rows.h): who works on which row.
 *
 * Each thread takes a row at a time.  Long rows, where there are fewer than threads, are each
 * sifted by a team of these (sifter.h); and who finds no row left to begin helps with one at work.
 */
#include "cpu/emd/engine.h"

#include <string.h>

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
	return w->sift && c->most > 1 && c->rows.pool.size >= HELPING;
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
whole_rows(void *arg, int rank, int size)
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
together_rows(void *arg, int rank, int size)
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
	return rows <= c->n_sifters && wsi_cpu_shares_rows(e->params, c->rows.pool.size,
	                                                   (size_t)rows);
}

/* Of `rows` rows, fewer than threads. */
static void
run_together(wsi_engine *e, whole *w, int rows)
{
	wsi_cpu_engine *c = cpu(e);
	const int each = rows ? c->rows.pool.size / rows : 0;
	w->e = e;
	w->teams = rows;
	w->team = each < c->most ? each : c->most;
	if (rows == 0 || wsi_cancelled(e->progress))
		return;
	for (int i = 0; i < rows; ++i)
		wsi_sifter_team(&c->sifters[i], &c->members[i * w->team], w->team);
	/* Full teams take in nobody. */
	const int working = helps(w) && w->team < c->most ? c->rows.pool.size : rows * w->team;
	atomic_init(&w->at_work, working);
	wsi_pool_run_some(&c->rows.pool, (size_t)working, together_rows, w);
}

static void
run_whole(wsi_engine *e, whole *w)
{
	wsi_cpu_engine *c = cpu(e);
	const size_t rows = (size_t)w->a.n, threads = (size_t)c->rows.pool.size;
	w->e = e;
	const size_t working = rows > threads || helps(w) ? threads : rows;
	w->rows = (wsi_items){ .count = rows, .progress = e->progress, .tells = w->sift };
	atomic_init(&w->at_work, (int)working);
	wsi_pool_run_some(&c->rows.pool, rows == 1 ? 1 : working, whole_rows, w);
}

static void
noise_one(const whole *w, wsi_sifter *s, int i)
{
	s->ops->noise(s->params->o.seed, w->stream, (uint32_t)((w->first + i) / w->repeat), s->n,
	              wsi_row(w->a, (size_t)i));
}

static void
extent_together(const whole *w, wsi_sifter *s, int rank, int i)
{
	wsi_extent extent = wsi_sifter_extent(s, rank, wsi_row(w->a, (size_t)i));
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
	wsi_sifter_mean_std(s, wsi_row(w->a, (size_t)i), &mean, &w->std[i]);
	if (w->mean)
		w->mean[i] = mean;
}

static void
energy_one(const whole *w, wsi_sifter *s, int i)
{
	w->energy[i] = wsi_sifter_energy(s, wsi_row(w->a, (size_t)i));
}

static void
oscillates_one(const whole *w, wsi_sifter *s, int i)
{
	w->oscillates[i] = wsi_sifter_oscillates(s, 0, wsi_row(w->a, (size_t)i), w->input[i]);
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
	memset(wsi_row(job->out, (size_t)i), 0,
	       e->params->samples * cpu(e)->rows.ops->element);
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
	wsi_joint_sift(&cpu(e)->joint, &cpu(e)->rows.pool, job);
	if (job->sifted->oscillates && !wsi_cancelled(e->progress))
		extent(e, job->r, job->left);
}

/* ---- Life ------------------------------------------------------------------------------ */

void
wsi_cpu_engine_layout(wsi_cpu_engine *c, const wsi_ops *ops, const wsi_params *params, int threads,
                      int rows, wsi_progress *progress, wsi_arena *arena)
{
	*c = (wsi_cpu_engine){ .threads = threads, .n_sifters = rows < threads ? rows : threads };
	wsi_cpu_rows_make(&c->rows, ops, params, progress, arena);
	wsi_engine *e = &c->rows.e;
	e->modes_at_once = 1;
	e->gathers = gathered(params, ops, threads);
	e->noise = noise;
	e->extent = extent;
	e->mean_std = mean_std;
	e->energy = energy;
	e->oscillates = oscillates;
	e->sift = sift;
	e->sift_joint = sift_joint;
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
	wsi_pool_start(&c->rows.pool, c->threads, c->workers, c->rows.e.progress);
}

void
wsi_cpu_engine_stop(wsi_cpu_engine *c)
{
	wsi_pool_stop(&c->rows.pool);
}
