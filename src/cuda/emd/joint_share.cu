/* joint_share.cu - what devices that sift the same channels take from each other. */
#include "cuda/emd/joint_share.h"

#include "cuda/emd/engine.h"
#include "cuda/emd/joint.h"

#include <string.h>

/* Waits for the threads of the other devices; false where one of them failed or was cancelled, and
 * then nothing is done any more. */
static bool
meet(cuda_engine *c)
{
	const wsi_joint_job *job = c->share.job;
	if (c->error == cudaSuccess && !wsi_cancelled(c->e.progress) && job->meet(job->peers))
		return true;
	wsi_progress_cancel(c->e.progress);
	return false;
}

static const joint_shown &
shown_by(const cuda_engine *c, int rank)
{
	return *(const joint_shown *)c->share.job->peers->shown[rank];
}

/* The statement that follows, for `other`, what each of the others shows. */
#define OF_OTHERS(c, other)                                                            \
	for (int rank_ = 0; rank_ < (c)->share.job->size; ++rank_)                      \
		if (const joint_shown *other =                                          \
		            rank_ == (c)->share.job->rank ? NULL : &shown_by(c, rank_))

/* Can every device read every other's memory?  All answer alike. */
static bool
reach_each_other(cuda_engine *c)
{
	const int size = c->share.job->size;
	for (int a = 0; a < size; ++a)
		for (int b = 0; b < size; ++b) {
			int can = 1;
			if (a != b)
				well(c,
				     cudaDeviceCanAccessPeer(&can, shown_by(c, a).device,
				                             shown_by(c, b).device),
				     "asking for other devices");
			if (!can)
				return false;
		}
	OF_OTHERS(c, other) {
		const cudaError_t error = cudaDeviceEnablePeerAccess(other->device, 0);
		if (error == cudaErrorPeerAccessAlreadyEnabled)
			cudaGetLastError(); /* leaves no trace for the next */
		else
			well(c, error, "reaching another device");
	}
	return true;
}

template <class T>
void
joint_share_begin(cuda_engine *c, joint_signal<T> &s, const wsi_joint_job *job)
{
	joint_share &share = c->share;
	s.first_tile = 0;
	s.end_tile = s.tiles;
	share.job = NULL;
	if (!job->peers || job->size < 2 || (share.asked && !share.within_reach))
		return;
	share.job = job;
	const int first = (int)((int64_t)s.tiles * job->rank / job->size);
	const int end = (int)((int64_t)s.tiles * (job->rank + 1) / job->size);
	share.mine = { c->device->number, first, end,
		       { s.rise, s.fall, s.above, s.below }, { s.h[0], s.h[1] },
		       c->kit.event[0], c->kit.event[1], 0, 0, NULL };
	job->peers->shown[job->rank] = &share.mine;
	if (!meet(c))
		return;
	if (!share.asked)
		share.within_reach = reach_each_other(c);
	share.asked = true;
	if (share.within_reach)
		s.first_tile = first, s.end_tile = end;
	else
		share.job = NULL;
}

template <class T>
void
joint_share_steps(cuda_engine *c, const joint_signal<T> &s, int at)
{
	if (!c->share.job)
		return;
	joint_others others = {};
	well(c, cudaEventRecord(c->kit.event[0], c->kit.stream), "sifting");
	if (!meet(c))
		return;
	OF_OTHERS(c, other) {
		auto &of = others.of[others.n++];
		of.first_word = other->first_tile * JOINT_TILE_WORDS;
		of.end_word = other->end_tile * JOINT_TILE_WORDS;
		for (int k = 0; k < JOINT_STEPS; ++k)
			of.steps[k] = other->steps[k];
		well(c, cudaStreamWaitEvent(c->kit.stream, other->stepped, 0), "sifting");
	}
	well(c, joint_take_steps(s, at, others, c->kit.stream), "taking steps");
}

template <class T>
void
joint_share_samples(cuda_engine *c, const joint_signal<T> &s, int at)
{
	if (!c->share.job)
		return;
	well(c, cudaEventRecord(c->kit.event[1], c->kit.stream), "sifting");
	if (!meet(c))
		return;
	OF_OTHERS(c, other) {
		const size_t lanes = (size_t)s.lanes, n = (size_t)s.n;
		const size_t first = (size_t)other->first_tile * WSI_JOINT_TILE;
		const size_t last = (size_t)other->end_tile * WSI_JOINT_TILE;
		const size_t end = last < n ? last : n;
		well(c, cudaStreamWaitEvent(c->kit.stream, other->sifted, 0), "sifting");
		if (end > first)
			well(c,
			     cudaMemcpyAsync(s.h[at] + first * lanes,
			                     (const T *)other->h[at] + first * lanes,
			                     (end - first) * lanes * sizeof(T), cudaMemcpyDefault,
			                     c->kit.stream),
			     "taking samples");
	}
}

template <class T>
void
joint_share_statistics(cuda_engine *c, const joint_signal<T> &s, joint_state *state, double *sums)
{
	joint_share &share = c->share;
	if (!share.job)
		return;
	share.mine.above_sd = state->above_sd;
	share.mine.above_sd2 = state->above_sd2;
	share.mine.sums = sums;
	if (!meet(c))
		return;
	const int blocks = (int)WSI_WORDS((size_t)s.n) * 2;
	OF_OTHERS(c, other) {
		state->above_sd += other->above_sd;
		state->above_sd2 += other->above_sd2;
		const int first = other->first_tile * WSI_JOINT_BLOCKS;
		const int end = other->end_tile * WSI_JOINT_BLOCKS;
		const size_t some = (size_t)((end < blocks ? end : blocks) - first);
		for (int at = first; at < 2 * blocks && sums; at += blocks)
			memcpy(sums + at, other->sums + at, some * sizeof *sums);
	}
	meet(c);
}

void
joint_share_end(cuda_engine *c)
{
	if (c->share.job)
		meet(c);
}

#define BOTH(T)                                                                                   \
	template void joint_share_begin(cuda_engine *, joint_signal<T> &, const wsi_joint_job *); \
	template void joint_share_steps(cuda_engine *, const joint_signal<T> &, int);             \
	template void joint_share_samples(cuda_engine *, const joint_signal<T> &, int);           \
	template void joint_share_statistics(cuda_engine *, const joint_signal<T> &,              \
	                                     joint_state *, double *);
BOTH(float)
BOTH(double)
