/*
 * match.c - which modes of two decompositions of one signal are the same: ws_match_modes().
 *
 * Dynamic programming over both lists, in their order.  A mode, or a run of neighbours that one
 * mode equals, counts with its similarity, weighted by variance; one that equals nothing counts as
 * if its similarity were NOTHING.  So what is less similar is left alone.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/status.h"
#include "wavesift/match.h"

#define NOTHING 0.5
#define MOST_ROWS 1024

typedef struct match {
	const double *cov;    /* [n][n] */
	size_t n, n_a, n_b;
	double *score;        /* [n_a + 1][n_b + 1] of the first rows of either */
	int32_t *run;         /* likewise, how it came to be: rows of a (+), or of b (-), with one
	                         of the other; 0: the last of a is alone, RUN_B: that of b */
} match;

#define RUN_B INT32_MIN

static double
cov_of(const match *m, size_t i, size_t k)
{
	return m->cov[i * m->n + k];
}

/* The similarity of rows first .. last, added up, with row other. */
static double
similarity(const match *m, size_t first, size_t last, size_t other)
{
	double variance = 0, common = 0;
	for (size_t i = first; i <= last; ++i) {
		common += cov_of(m, i, other);
		for (size_t k = first; k <= last; ++k)
			variance += cov_of(m, i, k);
	}
	const double all = sqrt(variance) * sqrt(cov_of(m, other, other));
	return all > 0 ? common / all : variance == cov_of(m, other, other);
}

static void
offer(match *m, size_t i, size_t k, double score, int32_t run)
{
	const size_t at = i * (m->n_b + 1) + k;
	if (score > m->score[at]) {
		m->score[at] = score;
		m->run[at] = run;
	}
}

/* Runs of rows that end in the i-th of a, or where of_b is set in the k-th of b, with the last of
 * the other.  A run grows as long as each of its ends makes it more similar. */
static void
offer_runs(match *m, size_t i, size_t k, bool of_b)
{
	const size_t last = of_b ? m->n_a + k - 1 : i - 1, other = of_b ? i - 1 : m->n_a + k - 1;
	const size_t most = of_b ? k : i;
	double weight = cov_of(m, other, other), before = 0;
	for (size_t r = 1; r <= most; ++r) {
		const size_t first = last + 1 - r;
		const double rho = similarity(m, first, last, other);
		if (r > 1 && (rho <= before || rho <= similarity(m, first, last - 1, other)))
			break;
		weight += cov_of(m, first, first);
		const size_t from = of_b ? (i - 1) * (m->n_b + 1) + k - r
		                    : (i - r) * (m->n_b + 1) + k - 1;
		offer(m, i, k, m->score[from] + weight * rho, of_b ? -(int32_t)r : (int32_t)r);
		before = rho;
	}
}

static void
fill(match *m)
{
	for (size_t i = 0; i <= m->n_a; ++i)
		for (size_t k = 0; k <= m->n_b; ++k) {
			const size_t at = i * (m->n_b + 1) + k;
			m->score[at] = i + k ? -HUGE_VAL : 0;
			if (i && k) {
				offer_runs(m, i, k, false);
				offer_runs(m, i, k, true);
			}
			if (i)
				offer(m, i, k, m->score[at - (m->n_b + 1)]
				      + NOTHING * cov_of(m, i - 1, i - 1), 0);
			if (k)
				offer(m, i, k, m->score[at - 1]
				      + NOTHING * cov_of(m, m->n_a + k - 1, m->n_a + k - 1), RUN_B);
		}
}

/* From the end: groups are numbered backwards, and then of_b. */
static void
trace(const match *m, int32_t *group)
{
	int32_t n = 0;
	for (size_t i = m->n_a, k = m->n_b; i + k > 0;) {
		const int32_t run = m->run[i * (m->n_b + 1) + k];
		if (run == 0)
			group[--i] = -1;
		else if (run == RUN_B)
			group[m->n_a + --k] = -1;
		else {
			for (int32_t r = run > 0 ? run : 1; r > 0; --r)
				group[--i] = n;
			for (int32_t r = run < 0 ? -run : 1; r > 0; --r)
				group[m->n_a + --k] = n;
			++n;
		}
	}
	for (size_t i = 0; i < m->n; ++i)
		group[i] = group[i] < 0 ? -1 : n - 1 - group[i];
}

ws_status
ws_match_modes(const double *covariance, size_t n_a, size_t n_b, int32_t *group)
{
	if (!covariance || !group || n_a > MOST_ROWS || n_b > MOST_ROWS)
		return WSI_FAIL(WS_E_ARG, "modes to match: at most %d of either, their covariance "
		                "and room for groups are needed", MOST_ROWS);
	match m = { .cov = covariance, .n = n_a + n_b, .n_a = n_a, .n_b = n_b };
	for (size_t i = 0; i < m.n * m.n; ++i)
		if (!isfinite(covariance[i]))
			return WSI_FAIL(WS_E_ARG, "modes to match: a covariance is not finite");
	const size_t cells = (n_a + 1) * (n_b + 1);
	m.score = malloc(cells * sizeof *m.score);
	m.run = calloc(cells, sizeof *m.run);
	const bool room = m.score && m.run;
	if (room) {
		fill(&m);
		trace(&m, group);
	}
	free(m.score);
	free(m.run);
	return room ? WS_OK : WSI_FAIL(WS_E_NOMEM, "no memory to match %zu modes", m.n);
}
