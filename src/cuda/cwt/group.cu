/*
 * group.cu - spectra of a group of channels: samples taken, looked at, transformed; edges.
 *
 * Twin: wsi_cwt_forward() of cpu/cwt/cwt.c.  Kernels: forward.cu, spectrum.cu, edge.cu.
 */
#include <stdio.h>

#include "cuda/cwt/run.h"

/* Of which channel of the group signal s is, and which of its epochs that are there: epochs of one
 * channel lie together, but of pairs all channels of an epoch. */
static size_t
channel_of(const cwt_run *r, size_t s)
{
	const bool pairs = cwt_of_pairs(*r->job);
	return pairs ? s % (r->channels / r->epochs) : s / r->epochs;
}

static size_t
epoch_of(const cwt_run *r, size_t s)
{
	const bool pairs = cwt_of_pairs(*r->job);
	return pairs ? s / (r->channels / r->epochs) : s % r->epochs;
}

/* All samples of the group must be finite, and the type must hold its coefficients, or their
 * squares where these are made.  The heads must be there. */
static void
check_samples(cwt_run *r)
{
	const wsi_cwt_job &job = *r->job;
	cwt_head *heads = (cwt_head *)r->w.pinned;
	unsigned long long *bad = (unsigned long long *)(heads + r->channels);
	well(&r->w, cudaMemcpyAsync(heads, at(r, r->l.heads), r->channels * sizeof *heads,
	                            cudaMemcpyDeviceToHost, r->w.stream), "looking at samples");
	well(&r->w, cudaMemcpyAsync(bad, at(r, r->l.bad), r->channels * sizeof *bad,
	                            cudaMemcpyDeviceToHost, r->w.stream), "looking at samples");
	if (!cuda_work_wait(&r->w))
		return;
	for (size_t c = 0; c < r->channels && r->status == WS_OK; ++c) {
		const size_t from = r->w.io->numbers_from;
		const size_t epochs = r->job->sums.epochs, epoch = r->epoch + epoch_of(r, c);
		const size_t number = r->w.io->first_channel + r->group + channel_of(r, c) + from;
		const int beyond = bad[c] != ~0ull ? 0
			: wsi_cwt_unfit(job.type, job.gain, heads[c].scale, job.squares);
		if (bad[c] != ~0ull && epochs > 1)
			snprintf(r->why->text, sizeof r->why->text, "channel %zu, epoch %zu, "
			         "sample %llu is not finite: mend or leave out that epoch", number,
			         epoch + from, bad[c] + from);
		else if (bad[c] != ~0ull)
			snprintf(r->why->text, sizeof r->why->text, "channel %zu, sample %llu is "
			         "not finite: mend or leave out that stretch", number,
			         bad[c] + from);
		if (beyond)
			wsi_cwt_unfit_text(job.type, heads[c].scale, beyond, job.squares, number,
			                    job.other, r->why->text, sizeof r->why->text);
		if (bad[c] != ~0ull || beyond)
			r->status = WS_E_FORMAT;
	}
}

/* Bins that are not asked for, by this job or those that follow it: from here on. */
static size_t
bins_needed(const wsi_cwt_job &first)
{
	const int64_t half = (int64_t)first.length / 2 + 1;
	int64_t need = 1;
	for (const wsi_cwt_job *job = &first; job; job = job->next)
		for (size_t i = 0; i < job->count; ++i) {
			const wsi_cwt_response &f = job->scales[i].response;
			const int64_t far = f.k1 > 1 - f.k0 ? f.k1 : 1 - f.k0;
			need = job->scales[i].taps ? half : far > need ? far : need;
		}
	const int64_t near = (int64_t)cwt_edge_near(first.edge);
	if (first.edge.table_count)
		need = first.edge.at_half ? half : near > need ? near : need;
	return (size_t)(need < half ? need : half);
}

/* What the edges of channels c .. c + n - 1 are made in. */
static cwt_edge_rows
edge_rows(cwt_run *r, size_t n)
{
	const cwt_layout &l = r->l;
	const wsi_cwt_job &job = *r->job;
	cwt_edge_rows e = { job.edge, (unsigned)job.length, job.edge.at_zero + job.edge.at_half,
		            cwt_edge_count(job, n), (double *)at(r, l.edge_near),
		            (double *)at(r, l.edge_a), (double *)at(r, l.edge_b),
		            (double *)at(r, l.edge_line), (double *)at(r, l.edge_mean) };
	e.edge.table = r->tables;
	e.map = l.edge_mapped ? r->tables + job.edge.table_count + job.table_count : NULL;
	return e;
}

/* Bins beside the edges of n channels of the group from c on, and beyond.  All rows that there is
 * room for are transformed: one plan of either size. */
static void
make_edges(cwt_run *r, size_t c, size_t n)
{
	const cwt_edge_rows e = edge_rows(r, n);
	const size_t rows = cwt_edge_count(*r->job, r->l.forward);
	if (!e.rows)
		return;
	if (e.map) {
		if (goes_on(r))
			well(&r->w, cwt_edge_apply(e, r->job->type, cwt_spectra_from(r, c),
			                           r->w.stream), "spectra beside edges");
		return;
	}
	const auto go = [r](cudaError_t (*step)(const cwt_edge_rows &, cudaStream_t),
	                    const cwt_edge_rows &e) {
		if (goes_on(r))
			well(&r->w, step(e, r->w.stream), "spectra beside edges");
	};
	const auto back = [r, rows](size_t points, double *from, double *to) {
		if (goes_on(r))
			cwt_transform(r, cwt_edge_shape(points, rows), from, to, true);
	};
	const auto convolve = [&] {
		back(e.edge.chirps, e.a, e.b);
		go(cwt_edge_convolve, e);
		back(e.edge.chirps, e.a, e.b);
	};
	go(cwt_edge_begin, e);
	convolve();
	go(cwt_edge_lay, e);
	back(e.edge.line, e.line, e.line);
	go(cwt_edge_side, e);
	back(e.edge.line, e.line, e.line);
	go(cwt_edge_end, e);
	convolve();
	if (goes_on(r))
		well(&r->w, cwt_edge_put(e, r->job->type, cwt_spectra_from(r, c), r->w.stream),
		     "spectra beside edges");
}

/* By two passes. */
static void
make_own_spectra(cwt_run *r, const char *x, size_t stride, cwt_found *found,
                 unsigned long long *bad)
{
	const wsi_cwt_job &job = *r->job;
	const unsigned keep = (unsigned)bins_needed(job);
	if (job.type == WS_F64)
		well(&r->w, cwt_look(x, stride, (unsigned)r->channels, job, found, bad,
		                     r->w.stream), "looking at samples");
	for (size_t c = 0; c < r->channels && goes_on(r); c += r->l.forward) {
		const size_t n = r->channels - c < r->l.forward ? r->channels - c : r->l.forward;
		double *near = job.edge.table_count ? (double *)at(r, r->l.edge_near) : NULL;
		well(&r->w, cwt_spectrum(x + c * stride, stride, (unsigned)n, job, r->l.split,
		                         found + c * r->l.found_blocks, bad + c,
		                         (double *)at(r, r->l.padded),
		                         (cwt_head *)at(r, r->l.heads) + c,
		                         cwt_spectra_from(r, c), keep, near, r->w.stream),
		     "making spectra");
		make_edges(r, c, n);
	}
	if (!r->on_device && goes_on(r))
		check_samples(r);
}

/* The signals' samples, one behind the other. */
static void
take_samples(cwt_run *r, size_t row)
{
	const size_t stride = r->w.io->x_stride, channels = r->channels / r->epochs;
	const char *x = r->w.io->x + r->group * stride + r->epoch * row;
	char *to = at(r, r->l.samples);
	const bool pairs = cwt_of_pairs(*r->job);
	if (r->epochs > 1 && !pairs && stride == r->epochs * row) {
		cuda_work_put(&r->w, to, row, x, row, row, r->channels);
		return;
	}
	for (size_t e = 0; pairs && e < r->epochs; ++e)
		cuda_work_put(&r->w, to + e * channels * row, row, x + e * row, stride, row,
		              channels);
	for (size_t c = 0; !pairs && r->epochs > 1 && c < channels; ++c)
		cuda_work_put(&r->w, to + c * r->epochs * row, row, x + c * stride, row, row,
		              r->epochs);
	if (!pairs && r->epochs == 1)
		cuda_work_put(&r->w, to, row, x, stride, row, channels);
}

void
cwt_make_spectra(cwt_run *r)
{
	const wsi_cwt_job &job = *r->job;
	const size_t row = job.samples * element_of(r), bins = cwt_bins(job);
	const char *x = r->w.io->x + r->group * r->w.io->x_stride;
	size_t stride = r->w.io->x_stride;
	if (!r->on_device || job.sums.epochs > 1) {
		take_samples(r, row);
		x = at(r, r->l.samples);
		stride = row;
	}
	cwt_found *found = (cwt_found *)at(r, r->l.found);
	unsigned long long *bad = (unsigned long long *)at(r, r->l.bad);
	well(&r->w, cudaMemsetAsync(bad, 0xff, r->channels * sizeof *bad, r->w.stream),
	     "clearing memory");
	if (r->l.own)
		return make_own_spectra(r, x, stride, found, bad);
	if (goes_on(r))
		well(&r->w, cwt_look(x, stride, (unsigned)r->channels, job, found, bad,
		                     r->w.stream), "looking at samples");
	cwt_head *heads = (cwt_head *)at(r, r->l.heads);
	for (size_t c = 0; c < r->channels && goes_on(r); c += r->l.forward) {
		const size_t n = r->channels - c < r->l.forward ? r->channels - c : r->l.forward;
		double *padded = (double *)at(r, r->l.padded);
		const size_t below = cwt_below(job);
		cwt_spectra wide = cwt_spectra_from(r, c);
		char *spectra = (char *)wide.x - below * 2 * element_of(r);
		if (job.type == WS_F32)
			wide.x = at(r, r->l.wide) + below * sizeof(two<double>);
		well(&r->w, cwt_pad(x + c * stride, stride, (unsigned)n, job,
		                    found + c * (size_t)cwt_look_blocks(job.samples), padded,
		                    heads + c, r->w.stream), "padding the signal");
		cwt_transform(r, cwt_forward_shape(job, n), padded, (void *)wide.x, false);
		if (job.edge.table_count && goes_on(r))
			well(&r->w, cwt_edge_take(edge_rows(r, n), wide, r->w.stream),
			     "spectra beside edges");
		if (job.type == WS_F32 && goes_on(r))
			well(&r->w, cwt_narrow((const double *)at(r, r->l.wide), (float *)spectra,
			                       n * bins * 2, r->w.stream), "rounding spectra");
		make_edges(r, c, n);
	}
	if (!r->on_device && goes_on(r))
		check_samples(r);
}
