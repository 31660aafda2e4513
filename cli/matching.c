/* matching.c - modes of two results that are matched in their order. */
#include "matching.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "wavesift/match.h"

#define CHUNK 8192

/* All rows of a signal, of a and then of b, each with its residue at last. */
typedef struct rows {
	size_t n[2], all;        /* all: n[0] + n[1] */
	double *mean;            /* [all] of samples times 2^-exponent of their side */
	int exponent[2];
	double *cov;             /* [all][all] */
	double *x;               /* [all][CHUNK] */
	int32_t *group;          /* [all] */
} rows;

static ws_status
make_room(cli_similarity *p, rows *r)
{
	const size_t most = p->a->max_modes + p->b->max_modes + 2;
	if (most > 2048)
		return WSI_FAIL(WS_E_FORMAT, "%s, %s: %zu modes are too many to be matched",
		                p->paths[0], p->paths[1], most);
	r->mean = wsi_kept_new(&p->kept, most, sizeof *r->mean);
	r->cov = wsi_kept_new(&p->kept, most * most, sizeof *r->cov);
	r->x = wsi_kept_new(&p->kept, most * CHUNK, sizeof *r->x);
	r->group = wsi_kept_new(&p->kept, most, sizeof *r->group);
	return p->kept.failed ? WSI_FAIL(WS_E_NOMEM, "not enough memory to match %zu modes", most)
	       : WS_OK;
}

static ws_status
read_row(const cli_similarity *p, const rows *r, size_t signal, size_t row, size_t first,
         size_t count, double *x)
{
	const int side = row >= r->n[0];
	const size_t channel = p->channels[side][signal % p->n_channels];
	const size_t at = row - (side ? r->n[0] : 0);
	const size_t mode = at + 1 == r->n[side] ? WSI_ROW_RESIDUE : at;
	WSI_TRY(wsi_result_read(side ? p->b : p->a, signal / p->n_channels, channel, mode, first,
	                        count, x));
	return cli_similarity_check(p, side, channel, mode, first, x, count);
}

/* Means, and the exponent of the largest sample of either side: no square leaves the range of
 * f64. */
static ws_status
measure(const cli_similarity *p, rows *r, size_t signal)
{
	double largest[2] = { 0 };
	for (int again = 0; again < 2; again++)
		for (size_t row = 0; row < r->all; row++) {
			const int side = row >= r->n[0];
			double sum = 0;
			for (size_t first = 0, n; first < p->a->samples; first += n) {
				n = p->a->samples - first < CHUNK ? p->a->samples - first : CHUNK;
				WSI_TRY(read_row(p, r, signal, row, first, n, r->x));
				for (size_t k = 0; k < n && again; k++)
					sum += scalbn(r->x[k], -r->exponent[side]);
				for (size_t k = 0; k < n && !again; k++)
					largest[side] = fmax(largest[side], fabs(r->x[k]));
			}
			r->mean[row] = sum / (double)p->a->samples;
			r->exponent[side] = largest[side] > 0 ? ilogb(largest[side]) : 0;
		}
	return WS_OK;
}

static ws_status
covariances(const cli_similarity *p, rows *r, size_t signal)
{
	int modes[2];
	cli_similarity_modes(p, signal, modes);
	for (int side = 0; side < 2; side++)
		r->n[side] = (size_t)modes[side] + 1;
	r->all = r->n[0] + r->n[1];
	WSI_TRY(measure(p, r, signal));
	memset(r->cov, 0, r->all * r->all * sizeof *r->cov);
	for (size_t first = 0, n; first < p->a->samples; first += n) {
		n = p->a->samples - first < CHUNK ? p->a->samples - first : CHUNK;
		for (size_t i = 0; i < r->all; i++) {
			double *x = r->x + i * CHUNK;
			WSI_TRY(read_row(p, r, signal, i, first, n, x));
			for (size_t t = 0; t < n; t++)
				x[t] = scalbn(x[t], -r->exponent[i >= r->n[0]]) - r->mean[i];
			for (size_t k = 0; k <= i; k++) {
				double sum = 0;
				for (size_t t = 0; t < n; t++)
					sum += x[t] * r->x[k * CHUNK + t];
				r->cov[i * r->all + k] += sum;
			}
		}
	}
	for (size_t i = 0; i < r->all; i++)
		for (size_t k = 0; k < i; k++)
			r->cov[k * r->all + i] = r->cov[i * r->all + k];
	return WS_OK;
}

/* The similarity of the rows of a with those of b, added up. */
static double
similarity(const rows *r, const cli_matched *m, int residue)
{
	size_t first[2], last[2];
	double sums[3] = { 0 };  /* of a, of b, common */
	for (int side = 0; side < 2; side++) {
		const size_t from = side ? r->n[0] : 0, end = from + r->n[side] - 1;
		first[side] = m->first[side] == residue ? end : from + (size_t)m->first[side];
		last[side] = m->last[side] == residue ? end : from + (size_t)m->last[side];
	}
	for (int part = 0; part < 3; part++) {
		const int one = part == 1, other = part > 0;
		for (size_t i = first[one]; i <= last[one]; i++)
			for (size_t k = first[other]; k <= last[other]; k++)
				sums[part] += r->cov[i * r->all + k];
	}
	const double all = sqrt(sums[0]) * sqrt(sums[1]);
	return all > 0 ? sums[2] / all : sums[0] == sums[1];
}

/* ---- Groups ---------------------------------------------------------------------------------- */

typedef struct found {
	cli_matched *list;       /* of all signals, each once, in order */
	size_t n, room;
	struct { size_t signal; cli_matched m; double rho; } *all;
	size_t n_all, room_all;
} found;

static int
order(const cli_matched *a, const cli_matched *b)
{
	for (int side = 0; side < 2; side++)
		if (a->first[side] != b->first[side])
			return a->first[side] < b->first[side] ? -1 : 1;
	for (int side = 0; side < 2; side++)
		if (a->last[side] != b->last[side])
			return a->last[side] < b->last[side] ? -1 : 1;
	return 0;
}

static bool
grow(void **list, size_t n, size_t *room, size_t size)
{
	if (n < *room)
		return true;
	void *more = realloc(*list, (2 * *room + 64) * size);
	if (!more)
		return false;
	*room = 2 * *room + 64;
	*list = more;
	return true;
}

/* Adds what a signal has. */
static ws_status
add(found *f, size_t signal, const cli_matched *m, double rho)
{
	size_t at = 0;
	while (at < f->n && order(&f->list[at], m) < 0)
		at++;
	const bool known = at < f->n && order(&f->list[at], m) == 0;
	if (!grow((void **)&f->all, f->n_all, &f->room_all, sizeof *f->all) ||
	    !grow((void **)&f->list, f->n, &f->room, sizeof *f->list))
		return WSI_FAIL(WS_E_NOMEM, "not enough memory for the modes that were matched");
	f->all[f->n_all].signal = signal;
	f->all[f->n_all].m = *m;
	f->all[f->n_all++].rho = rho;
	if (known)
		return WS_OK;
	memmove(f->list + at + 1, f->list + at, (f->n - at) * sizeof *f->list);
	f->list[at] = *m;
	f->n++;
	return WS_OK;
}

/* All groups of a signal, rows that nothing equals among them. */
static ws_status
take(const cli_similarity *p, const rows *r, size_t signal, found *f)
{
	const int residue = (int)p->rows;
	for (size_t i = 0, k = 0; i < r->n[0] || k < r->n[1];) {
		const int32_t *a = r->group, *b = r->group + r->n[0];
		const size_t i0 = i, k0 = k;
		if (i < r->n[0] && a[i] < 0) {
			i++;
		} else if (k < r->n[1] && b[k] < 0) {
			k++;
		} else {
			while (i < r->n[0] && a[i] == a[i0])
				i++;
			while (k < r->n[1] && b[k] == b[k0])
				k++;
		}
		cli_matched m = { { (int)i0, (int)k0 }, { (int)i - 1, (int)k - 1 } };
		for (int side = 0; side < 2; side++) {
			const int end = (int)r->n[side] - 1;
			const bool none = m.last[side] < m.first[side];
			m.last[side] = m.last[side] == end && !none ? residue : m.last[side];
			m.first[side] = m.first[side] == end && !none ? residue : m.first[side];
		}
		const bool both = i > i0 && k > k0;
		WSI_TRY(add(f, signal, &m, both ? similarity(r, &m, residue) : NAN));
	}
	return WS_OK;
}

/* ---- All signals ----------------------------------------------------------------------------- */

/* Are all channels to be matched as one?  They have as many modes then. */
static bool
are_joint(const cli_similarity *p, size_t epoch)
{
	int first[2], modes[2];
	if (strcmp(p->a->transform, "memd") != 0 || strcmp(p->b->transform, "memd") != 0)
		return false;
	cli_similarity_modes(p, epoch * p->n_channels, first);
	for (size_t i = 1; i < p->n_channels; i++) {
		cli_similarity_modes(p, epoch * p->n_channels + i, modes);
		if (modes[0] != first[0] || modes[1] != first[1])
			return false;
	}
	return true;
}

/* Adds up the covariances of all channels, each by the variance that it has in all. */
static ws_status
match_jointly(const cli_similarity *p, rows *r, size_t epoch, double *sum)
{
	memset(sum, 0, r->all * r->all * sizeof *sum);
	for (size_t i = 0; i < p->n_channels; i++) {
		double all[2] = { 0 };
		WSI_TRY(covariances(p, r, epoch * p->n_channels + i));
		for (size_t k = 0; k < r->all; k++)
			all[k >= r->n[0]] += r->cov[k * r->all + k];
		for (size_t k = 0; k < r->all * r->all; k++) {
			const double unit = sqrt(all[k / r->all >= r->n[0]]) *
				sqrt(all[k % r->all >= r->n[0]]);
			sum[k] += unit > 0 ? r->cov[k] / unit : 0;
		}
	}
	return ws_match_modes(sum, r->n[0], r->n[1], r->group);
}

static ws_status
match_epoch(cli_similarity *p, rows *r, size_t epoch, double *sum, found *f)
{
	const bool joint = are_joint(p, epoch);
	if (joint) {
		WSI_TRY(covariances(p, r, epoch * p->n_channels));
		WSI_TRY(match_jointly(p, r, epoch, sum));
	}
	for (size_t i = 0; i < p->n_channels; i++) {
		const size_t signal = epoch * p->n_channels + i;
		WSI_TRY(covariances(p, r, signal));
		if (!joint)
			WSI_TRY(ws_match_modes(r->cov, r->n[0], r->n[1], r->group));
		WSI_TRY(take(p, r, signal, f));
	}
	return WS_OK;
}

static ws_status
keep(cli_similarity *p, const found *f)
{
	p->matched = wsi_kept_new(&p->kept, f->n, sizeof *p->matched);
	WSI_TRY(cli_similarity_groups(p, f->n));
	memcpy(p->matched, f->list, f->n * sizeof *f->list);
	for (size_t i = 0; i < p->n_epochs * p->n_channels * f->n; i++)
		p->rho[i] = NAN;
	for (size_t i = 0; i < f->n_all; i++) {
		size_t at = 0;
		while (order(&f->list[at], &f->all[i].m) != 0)
			at++;
		p->rho[f->all[i].signal * f->n + at] = f->all[i].rho;
		p->has[f->all[i].signal * f->n + at] = 1;
	}
	return WS_OK;
}

ws_status
cli_matching_make(cli_similarity *p)
{
	p->by_match = true;
	rows r = { .n = { 0 } };
	found f = { .n = 0 };
	WSI_TRY(make_room(p, &r));
	const size_t most = p->a->max_modes + p->b->max_modes + 2;
	double *sum = wsi_kept_new(&p->kept, most * most, sizeof *sum);
	ws_status status = sum ? WS_OK : WSI_FAIL(WS_E_NOMEM, "not enough memory");
	for (size_t e = 0; e < p->n_epochs && status == WS_OK; e++)
		status = match_epoch(p, &r, e, sum, &f);
	if (status == WS_OK)
		status = keep(p, &f);
	free(f.list);
	free(f.all);
	return status;
}
