/* sifting.cu - a job of sifting, as the host sees it. */
#include "cuda/emd/engine.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"

/* Sifts that are launched before the host looks how many rows are left. */
constexpr int BATCH = 8;

/* ---- A job, as kernels see it ---------------------------------------------------------------- */

/* Such rows are read once and written once: the link is slow. */
static bool
in_host_memory(const cuda_engine *c, wsi_rows rows)
{
	const wsi_arena *a = c->seldom;
	return a != c->memory && rows.base >= a->base && rows.base < a->base + a->used;
}

/* The number of what is launched next. */
static uint16_t
next_job(cuda_engine *c)
{
	if (++c->job == 0) {
		memset(c->m.output, 0,
		       (size_t)c->e.modes_at_once * (size_t)c->m.capacity * sizeof *c->m.output);
		memset(c->m.relayed, 0, 2 * sizeof *c->m.relayed);
		c->job = 1;
	}
	return c->job;
}

/* What all jobs of an engine have in common. */
template <class T>
static sift_rows<T>
rows_of_engine(const cuda_engine *c)
{
	const wsi_params *p = c->e.params;
	const ws_emd_opts *o = &p->o;
	sift_rows<T> s = {};
	static_cast<sift_buffers &>(s) = c->m;
	s.room = (T *)c->room;
	s.stride = WSI_WORDS(p->samples) * WSI_WORD;
	s.n = samples(&c->e);
	s.tiles_inverse = ~0u / (unsigned)s.tiles;
	s.cubics = (four<T> *)c->cubics;
	s.rows = (row<T> *)c->rows;
	s.board = { c->board.word, c->board.signs, (team_note<T> *)c->board.note,
		    c->board.arrived, c->board.blocks };
	s.shared = c->device->facts.sharedMemPerBlockOptin;
	s.processor_shared = c->device->facts.sharedMemPerMultiprocessor;
	s.processors = c->device->facts.multiProcessorCount;
	s.boundary = o->boundary;
	s.spline = o->spline;
	s.rule = wsi_rule_of(p, o->max_sifts);
	s.min_extrema = p->min_extrema;
	s.plateaus = p->plateaus;
	s.lone_steps = p->lone_steps;
	s.half_ticks = p->half_ticks;
	s.cyclic = p->cyclic;
	s.needs_both = p->needs_both;
	s.flow = o->stop_rule == WS_STOP_FIXED ? PLAIN_FLOW
	         : stop_needs_sums(o->stop_rule) ? NO_FLOW
	                                        : COUNTING_FLOW;
	s.whole = true;
	s.signs = stop_needs_signs(o->stop_rule);
	s.tiny_modes = p->tiny_modes;
	s.imf_ends = p->imf_ends;
	return s;
}

template <class T>
static sift_rows<T>
rows_of_job(const cuda_engine *c, const wsi_sift_job *job)
{
	sift_rows<T> s = rows_of_engine<T>(c);
	s.r = (T *)job->r.base;
	s.b = job->scale ? (const T *)job->b.base : NULL;
	s.copy = !s.b && c->y && in_host_memory(c, job->r);
	s.out = (T *)job->out.base;
	s.y = (T *)c->y;
	s.r_stride = job->r.stride / sizeof(T);
	s.b_stride = job->b.stride / sizeof(T);
	s.members = job->members;
	s.beside = (T *)job->beside.base;
	s.beside_stride = job->beside.stride / sizeof(T);
	s.first_beside = job->beside.n ? wsi_sift_rows(job) - job->beside.n : NONE_BESIDE;
	s.out_stride = job->out.stride / sizeof(T);
	s.mode_stride = (size_t)wsi_sift_rows(job) * s.out_stride;
	s.early = sift_early<T>();
	s.rule.max_sifts = job->max_sifts;
	s.step = job->step;
	s.mode = job->mode;
	s.modes = 1 + job->more;
	s.bounded = job->bounded;
	s.rest = job->rest;
	s.deflate = job->deflate;
	return s;
}

/* ---- What goes to the device ----------------------------------------------------------------- */

/* Knots of a kind that are few. */
template <class T>
static int
few_knots(const cuda_engine *c, int rows)
{
	constexpr int BLOCKS = 8; /* of a processor, at least, for it to be busy */
	const cudaDeviceProp &device = c->device->facts;
	const bool busy =
		(int64_t)c->m.tiles * rows >= (int64_t)BLOCKS * device.multiProcessorCount;
	return sift_few<T>(busy ? sift_most_few(c->m.groups / 32) : SIFT_VERY_FEW,
	                   device.sharedMemPerBlockOptin);
}

/* Sends a list of rows to the device. */
static const int *
send_list(cuda_engine *c, int set, int count)
{
	int *to = c->list + set * c->m.capacity;
	well(c,
	     cudaMemcpyAsync(to, c->host_list[set], (size_t)count * sizeof *to,
	                     cudaMemcpyHostToDevice, c->kit.stream),
	     "copying to the device");
	return to;
}

/* What the host knows of rows. */
static void
send_input(wsi_engine *e, const wsi_sift_job *job)
{
	cuda_engine *c = cuda(e);
	const wsi_params *p = e->params;
	const int n = wsi_sift_rows(job);
	if (job->again)
		return;
	for (int i = 0; i < n; ++i)
		c->host_input[i] = { job->scale ? job->scale[i] : 0.0,
			             p->resolution * job->input[i].magnitude,
			             p->tiny_range * job->input[i].range };
	well(c, cudaMemcpyAsync(c->m.input, c->host_input, (size_t)n * sizeof *c->m.input,
	                        cudaMemcpyHostToDevice, c->kit.stream), "copying to the device");
}

/* Names the rows that are sifted, and those that are not; returns how many there are of the
 * former. */
static int
list_rows(cuda_engine *c, const wsi_sift_job *job)
{
	constexpr int SOME = 8;
	static const bool ALL[SOME] = { true, true, true, true, true, true, true, true },
			  NONE[SOME] = {};
	int *const active = c->host_list[ACTIVE], *const passed_over = c->host_list[PASSED_OVER];
	const int n = wsi_sift_rows(job);
	int count = 0, idle = 0;
	for (int i = 0; i < n;) {
		/* Mostly whole stretches are alike; else no branches: which rows are active is
		 * anyone's guess. */
		const bool *const some = job->active ? job->active + i : ALL;
		const bool whole = n - i >= SOME;
		if (whole && memcmp(some, ALL, SOME) == 0) {
			for (int k = 0; k < SOME; ++k)
				active[count++] = i++;
		} else if (whole && memcmp(some, NONE, SOME) == 0) {
			for (int k = 0; k < SOME; ++k)
				passed_over[idle++] = i++;
		} else {
			for (const int end = whole ? i + SOME : n; i < end; ++i) {
				const bool is = !job->active || job->active[i];
				active[count] = passed_over[idle] = i;
				count += is;
				idle += !is;
			}
		}
	}
	return count;
}

/* ---- What it tells ------------------------------------------------------------------------- */

/* The user has cancelled: leaves rows that nobody has drawn yet, see draw_row, and those of a
 * relay. */
static void
leave_rows(cuda_engine *c)
{
	*c->host_drawn = ALL_DRAWN;
	well(c,
	     cudaMemcpyAsync(c->m.drawn, c->host_drawn, sizeof *c->m.drawn, cudaMemcpyHostToDevice,
	                     c->kit.aside),
	     "cancelling");
}

/* After so many seconds a wait leaves the processor to others between two looks: what a sleep adds
 * is then little beside it. */
constexpr double PATIENCE = 0.01;
constexpr struct timespec DOZE = { 0, 20000 };

/* Looks until told() is true; false where it never will be. */
template <class Told>
static bool
await(cuda_engine *c, Told told)
{
	constexpr unsigned LOOKS = 4096; /* until the driver is asked: that takes longer */
	wsi_progress *const progress = c->e.progress;
	cudaError_t state = cudaErrorNotReady;
	double since = 0.0;       /* nobody looks at a clock for what is there already */
	bool long_since = false;
	if (wsi_cancelled(progress))
		leave_rows(c);
	for (unsigned looks = 1; c->error == cudaSuccess; ++looks) {
		if (told())
			return true;
		if (state == cudaSuccess)
			return wsi_cancelled(progress) ? false
			                               : well(c, cudaErrorUnknown, "sifting");
		if (long_since)
			nanosleep(&DOZE, NULL);
		if (long_since || looks % LOOKS == 0) {
			const double now = wsi_now();
			since = since > 0.0 ? since : now;
			long_since = now - since > PATIENCE;
			wsi_progress_poll(progress);
			if (wsi_cancelled(progress))
				leave_rows(c);
			state = cudaStreamQuery(c->kit.stream);
		}
		if (state != cudaErrorNotReady)
			well(c, state, "sifting");
	}
	return false;
}

/* Reads what the device writes by one store; is it of this job? */
template <class Output>
static bool
read_output(const cuda_engine *c, const Output *at, Output *out)
{
	const uint64_t word = __atomic_load_n((const uint64_t *)at, __ATOMIC_ACQUIRE);
	memcpy(out, &word, sizeof *out);
	return out->job == c->job;
}

/* ---- Step by step, or in a relay ------------------------------------------------------------- */

/* Of the mode that s is at so many sifts have been made. */
template <class T>
static void
tell_made(wsi_engine *e, const wsi_sift_job *job, const sift_rows<T> &s, int made)
{
	const int before = s.mode - job->mode;
	wsi_progress_part(e->progress,
	                  (before + (double)made / s.rule.sifts) / (1 + job->more));
}

/*
 * Takes rows from one sift to the next.  Which rows go on is
 * decided on the device; the host looks how many are left after a batch, while
 * the next is under way.  When these are few, teams take them to their last.
 */
template <class T>
static void
run_steps(wsi_engine *e, const wsi_sift_job *job, const sift_rows<T> &s, int count)
{
	cuda_engine *c = cuda(e);
	const bool fixed = s.rule.stop == WS_STOP_FIXED;
	bool pending = false;
	for (int made = 0, slot = 0; c->error == cudaSuccess && !wsi_cancelled(e->progress);
	     slot = 1 - slot) {
		if (sift_resumes(s, count)) {
			well(c, sift_resume(s, made % SETS, count, c->kit.stream), "sifting");
			return;
		}
		const int batch =
			fixed && s.rule.sifts - made < 4 * BATCH ? s.rule.sifts - made : BATCH;
		for (int i = 0; i < batch; ++i)
			well(c, sift_step(s, (made + i) % SETS, count, c->kit.stream), "sifting");
		made += batch;
		if (fixed && made == s.rule.sifts)
			return;
		well(c, cudaMemcpyAsync(c->host_count[slot], c->m.work_count, COUNTS * sizeof(int),
		                        cudaMemcpyDeviceToHost, c->kit.stream), "sifting");
		well(c, cudaEventRecord(c->kit.event[slot], c->kit.stream), "sifting");
		if (pending) {
			if (!well(c, cudaEventSynchronize(c->kit.event[1 - slot]), "sifting"))
				return;
			/* After the batch before this one. */
			const int *left =
				c->host_count[1 - slot] + (made - batch) % SETS * ROW_PHASES;
			count = left[ROW_KNOTS] + left[ROW_CUBICS];
			if (count == 0)
				return;
		}
		pending = true;
		if (fixed)
			tell_made(e, job, s, made);
		else
			wsi_progress_poll(e->progress);
	}
}

/* Waits for a relay, and for those that follow; returns how many rows the last has left, which are
 * in set 0 then.  *relays: how many there were. */
template <class T>
static int
await_relays(wsi_engine *e, const wsi_sift_job *job, const sift_rows<T> &s, int *relays)
{
	cuda_engine *c = cuda(e);
	for (*relays = 1;; ++*relays) {
		relay_output made, left = {};
		if (!await(c, [&] {
			if (s.flow == PLAIN_FLOW && read_output(c, &c->m.relayed[false], &made))
				tell_made(e, job, s, made.count);
			return read_output(c, &c->m.relayed[true], &left);
		    }))
			return 0;
		if (left.count > 0 && !wsi_cancelled(e->progress))
			well(c, sift_left(s, left.count, c->kit.stream), "sifting");
		if (!left.again || wsi_cancelled(e->progress))
			return left.count;
		c->m.relayed[true] = {};
		well(c, sift_relay_again(s, left.count, c->kit.stream), "sifting");
	}
}

/* ---- The way of a job ---------------------------------------------------------------------- */

template <class T>
static void
plan_way(cuda_engine *c)
{
	constexpr int MOST = 16; /* modes; one more costs a row's memory */
	sift_rows<T> s = rows_of_engine<T>(c);
	s.few = few_knots<T>(c, c->m.capacity);
	c->e.way = sift_way_name<T>(sift_choose(s, c->m.capacity));
	s.mode = MOST - 1; /* earlier ones may go another way, each by itself */
	const bool ahead = sift_ahead(sift_choose(s, c->m.capacity), s, c->m.capacity) &&
	                   !c->device->impatient && !c->e.params->one_mode;
	c->e.modes_at_once = ahead ? MOST : 1;
}

void
cuda_plan_way(cuda_engine *c)
{
	const char *const name = getenv("WAVESIFT_WAY");
	c->m.forced = SIFT_WAYS;
	for (int by = 0; name && by < SIFT_WAYS; ++by)
		if (strcmp(name, sift_way_name<float>((sift_way)by)) == 0)
			c->m.forced = (sift_way)by;
	if (is_f64(&c->e))
		plan_way<double>(c);
	else
		plan_way<float>(c);
}

/* ---- All modes of all rows ------------------------------------------------------------------- */

/* Sifts the first `count` of the rows that are listed; see await_answer for what becomes of
 * them. */
template <class T>
static void
sift_listed(wsi_engine *e, const wsi_sift_job *job, sift_rows<T> &s, int count)
{
	cuda_engine *c = cuda(e);
	const int n = wsi_sift_rows(job);
	if (count == 0)
		return;
	s.job = next_job(c);
	s.few = few_knots<T>(c, count);
	const sift_way by = sift_choose(s, count);
	e->took = sift_way_name<T>(by);
	if (!sift_ahead(by, s, count))
		s.modes = 1;
	const int *const list = count < n ? send_list(c, ACTIVE, count) : NULL;
	well(c, sift_launch(by, s, list, count, c->kit.stream), "sifting");
	int relays = 0;
	const int left = by == SIFT_STEPS   ? count
	                 : by == SIFT_RELAY ? await_relays(e, job, s, &relays)
	                                    : 0;
	/* One relay that has left none has delivered all. */
	if ((left == 0 && relays <= 1) || wsi_cancelled(e->progress))
		return;
	if (left > 0)
		run_steps(e, job, s, left);
	well(c, sift_finish(s, list, count, c->kit.stream), "finishing rows");
}

/* What became of a mode of row i, when it is known; false where it never will be. */
static bool
await_answer(cuda_engine *c, int mode, int i, row_output *told)
{
	const row_output *const at = &c->m.output[(size_t)mode * (size_t)c->m.capacity + i];
	return await(c, [=] { return read_output(c, at, told); });
}

/* What became of row i, from mode `first` of the job on, of which the launch made some; returns the
 * mode that it waits for now, or as many as the job has. */
static int
await_row(cuda_engine *c, const wsi_sift_job *job, int first, int some, int i)
{
	for (int k = first; k < first + some; ++k) {
		row_output o;
		if (!await_answer(c, k, i, &o))
			break;
		job->sifted[(size_t)k * (size_t)wsi_sift_rows(job) + i] = { o.sifts, o.oscillates,
			                                          o.untouched, o.unfinished };
		if (o.crowded)
			return k;
		if (!o.oscillates)
			break;
		if (k + 1 == first + some)
			return k + 1;
	}
	return 1 + job->more;
}

/* What became of `count` rows that were sifted from mode k on, while others are under way.  Lists
 * those again that were left as they were, returns how many these are, and notes those that wait
 * for later modes. */
static int
take_answers(cuda_engine *c, const wsi_sift_job *job, int k, int some, int count)
{
	constexpr int SOME = 64;
	int left = 0;
	for (int j = 0; j < count && !wsi_cancelled(c->e.progress); ++j) {
		const int i = c->host_list[ACTIVE][j], next = await_row(c, job, k, some, i);
		if (next == k)
			c->host_list[ACTIVE][left++] = i;
		else if (next <= job->more)
			c->waiting[c->n_waiting++] = { i, next };
		if (j % SOME == 0)
			wsi_progress_part(c->e.progress,
			                  (k + (double)some * j / count) / (1 + job->more));
	}
	if (wsi_cancelled(c->e.progress))
		await(c, [] { return false; }); /* the launch ends */
	return left;
}

/* Lists the rows that wait for mode k; returns how many. */
static int
list_waiting(cuda_engine *c, int k)
{
	int count = 0, left = 0;
	for (int j = 0; j < c->n_waiting; ++j)
		if (c->waiting[j].mode == k)
			c->host_list[ACTIVE][count++] = c->waiting[j].row;
		else
			c->waiting[left++] = c->waiting[j];
	c->n_waiting = left;
	return count;
}

/* The job as mode k and those after it see it. */
template <class T>
static sift_rows<T>
rows_from_mode(const cuda_engine *c, const wsi_sift_job *job, int k)
{
	sift_rows<T> s = rows_of_job<T>(c, job);
	s.out += k * s.mode_stride;
	s.output += (size_t)k * (size_t)s.capacity;
	s.mode += k;
	s.modes -= k;
	return s;
}

/* Of rows that are not sifted. */
static void
clear_answers(const wsi_sift_job *job)
{
	const size_t n = (size_t)wsi_sift_rows(job);
	memset(job->sifted, 0, (size_t)(1 + job->more) * n * sizeof *job->sifted);
	if (job->std)
		memset(job->std, 0, n * sizeof *job->std);
}

/* Sifts mode k of the rows that are listed and, where they stay on the chip, maybe all modes after
 * it. */
template <class T>
static void
sift_mode(wsi_engine *e, const wsi_sift_job *job, int k, int count)
{
	cuda_engine *c = cuda(e);
	sift_rows<T> s = rows_from_mode<T>(c, job, k);
	sift_listed(e, job, s, count);
	if (k == 0) /* meanwhile */
		clear_answers(job);
	while ((count = take_answers(c, job, k, s.modes, count)) > 0 &&
	       !wsi_cancelled(e->progress)) {
		/* Few, mostly: kernels that nothing flows through have room for all knots. */
		s.flow = NO_FLOW;
		s.whole = false;
		sift_listed(e, job, s, count);
	}
}

template <class T>
static void
sift_typed(wsi_engine *e, const wsi_sift_job *job)
{
	cuda_engine *c = cuda(e);
	const int n = wsi_sift_rows(job);
	int count = list_rows(c, job);
	const int idle = n - count;
	send_input(e, job);
	if (idle > 0 && job->more == 0)
		well(c,
		     rows_clear(typed<T>(job->out), send_list(c, PASSED_OVER, idle), idle,
		                samples(e), c->kit.stream),
		     "clearing rows");
	if (count == 0)
		wait_for(c, "clearing rows"); /* no answer tells that the list has been read */
	c->n_waiting = 0;
	sift_mode<T>(e, job, 0, count);
	for (int k = 1; c->n_waiting > 0 && !wsi_cancelled(e->progress); ++k)
		if ((count = list_waiting(c, k)) > 0)
			sift_mode<T>(e, job, k, count);
	if (job->std && c->error == cudaSuccess)
		e->mean_std(e, job->out, NULL, job->std);
}

void
cuda_sift(wsi_engine *e, const wsi_sift_job *job)
{
	if (cuda(e)->error != cudaSuccess || wsi_cancelled(e->progress)) {
		clear_answers(job);
		return;
	}
	if (is_f64(e))
		sift_typed<double>(e, job);
	else
		sift_typed<float>(e, job);
}

template <class T>
static void
oscillates_typed(wsi_engine *e, wsi_rows a, const wsi_extent *input, bool *out)
{
	cuda_engine *c = cuda(e);
	wsi_sift_job job = {};
	job.r = a;
	job.out = a;
	job.input = input;
	job.step = true;
	job.max_sifts = 1;
	send_input(e, &job);
	sift_rows<T> s = rows_of_job<T>(c, &job);
	s.looks = true;
	s.few = few_knots<T>(c, a.n);
	well(c, sift_start(s, (const int *)NULL, a.n, c->kit.stream), "looking for extrema");
	if (wait_for(c, "looking for extrema"))
		for (int i = 0; i < a.n; ++i)
			out[i] = c->m.output[i].oscillates;
}

void
cuda_oscillates(wsi_engine *e, wsi_rows a, const wsi_extent *input, bool *out)
{
	cuda_engine *c = cuda(e);
	if (e->params->min_extrema == 0) {
		for (int i = 0; i < a.n; ++i)
			out[i] = true;
		return;
	}
	memset(out, 0, (size_t)a.n * sizeof *out);
	IN_PARTS(c, first, n, a.n) {
		if (is_f64(e))
			oscillates_typed<double>(e, wsi_some_rows(a, first, n), input + first,
			                         out + first);
		else
			oscillates_typed<float>(e, wsi_some_rows(a, first, n), input + first,
			                        out + first);
	}
}
