/*
 * engine.h - the engine on a CUDA device, ops/engine.h.
 *
 * One stream does everything in order, but for copies to the host (transfer.h) and word that the
 * user has cancelled; the host waits where an operation tells something.  What it has sent from
 * pinned memory it writes anew only after such a wait, or an answer of what was launched behind.
 * After the first failure nothing is done any more, and the progress counts as cancelled, so that
 * the algorithm ends.
 */
#ifndef WSI_CUDA_ENGINE_H
#define WSI_CUDA_ENGINE_H

#include <cuda_runtime.h>

#include "cuda/device/device.h"
#include "cuda/emd/joint_share.h"
#include "cuda/emd/rows.h"
#include "cuda/emd/sift.h"
#include "ops/backend.h"

/* Lists of rows: those that are sifted, those that are not. */
enum { ACTIVE, PASSED_OVER, LISTS };

/* Sets of rows that take turns, sift.h. */
constexpr int SETS = 3, COUNTS = SETS * ROW_PHASES;

struct cuda_engine {
	wsi_engine e;                 /* first: what algorithms see */
	wsi_device *device;
	wsi_arena *memory;            /* on the device */
	wsi_arena *seldom;            /* of rows that are used seldom: that, or the host's */
	sift_buffers m;
	int n_nodes;                  /* of a row's sums, rows.h */
	/* Device memory. */
	char *y, *room;
	char *cubics;
	double *nodes, *total, *mean, *scale;
	row_unit *units;
	char *rows;
	int *list;
	struct {
		team_word *word;
		uint2 *signs;
		char *note;
		unsigned *arrived;
		int blocks;
	} board;                      /* team.h */
	/* Pinned, for what goes to and fro. */
	int *host_list[LISTS];
	int *host_count[2];           /* work_count, of two batches */
	int *host_drawn;
	row_input *host_input;
	uint16_t job; /* the last that was launched, whose answers come, row_output */
	double *host_double;
	row_unit *host_units;
	struct { int row, mode; } *waiting; /* rows for a mode of the job, not its first */
	int n_waiting;
	unsigned long long *host_low, *host_high;
	struct joint_state *host_state;
	/* Of joint sifting, joint.cu: its memory, and two sifts as one launch. */
	wsi_arena joint;
	void *joint_host;             /* the table of directions, then sums that a rule wants */
	bool directions_sent;
	int batch;                    /* sifts between two looks at how far they are */
	cudaGraphExec_t two_sifts;
	double two_sifts_tie, two_sifts_vanished; /* their joint_signal's */
	joint_share share;            /* with other devices */
	cuda_kit kit;
	cudaError_t error;
	const char *failed;           /* what was being done */
};

/* ---- What its parts share ------------------------------------------------------------ */

inline cuda_engine *
cuda(wsi_engine *e)
{
	return (cuda_engine *)e;
}

/* Notes the first failure; true where all is well. */
inline bool
well(cuda_engine *c, cudaError_t error, const char *what)
{
	if (c->error == cudaSuccess && error != cudaSuccess) {
		c->error = error;
		c->failed = what;
		wsi_progress_cancel(c->e.progress);
	}
	return c->error == cudaSuccess;
}

inline bool
wait_for(cuda_engine *c, const char *what)
{
	return well(c, cudaStreamSynchronize(c->kit.stream), what);
}

inline size_t
element(const wsi_params *p)
{
	return p->type == WS_F64 ? sizeof(double) : sizeof(float);
}

template <class P>
void
take_from(wsi_arena *arena, P *&p, size_t n)
{
	p = (P *)wsi_arena_take(arena, n * sizeof *p);
}

template <class T>
device_rows<T>
typed(wsi_rows r)
{
	return { (T *)r.base, r.stride / sizeof(T), r.n };
}

inline bool
is_f64(const wsi_engine *e)
{
	return e->params->type == WS_F64;
}

inline int
samples(const wsi_engine *e)
{
	return (int)e->params->samples;
}

/* The statement that follows, for rows first .. first + n - 1 of total, no more
 * than the engine has memory for, and so on until all are done or one fails. */
#define IN_PARTS(c, first, n, total)                                                        \
	for (int first = 0, n; first < (total) && (c)->error == cudaSuccess; first += n)    \
		if ((n = (total) - first < (c)->m.capacity ? (total) - first : (c)->m.capacity))

/* ---- Extents of rows, no more than there is capacity for (extents.cu) ---------------------- */

/* They are there after the next wait. */
void cuda_send_for_extents(cuda_engine *c, wsi_rows a);
void cuda_read_extents(const cuda_engine *c, wsi_extent *out, int n);

/* ---- Sifting (sifting.cu) and the table's functions ------------------------------------- */

void cuda_sift(wsi_engine *e, const wsi_sift_job *job);
/* Sets the way of the engine's first modes, by name, and how many modes a job may best have, once
 * its layout is known. */
void cuda_plan_way(cuda_engine *c);
void cuda_oscillates(wsi_engine *e, wsi_rows a, const wsi_extent *input, bool *out);

/* Joint sifting (joint.cu): its memory, and the table's function. */
void cuda_joint_layout(cuda_engine *c);
void cuda_sift_joint(wsi_engine *e, const wsi_joint_job *job);

void cuda_engine_layout(void *engine, wsi_device *d, const wsi_params *params, int rows, int beside,
                        wsi_progress *progress, wsi_arena *host, wsi_arena *device,
                        wsi_arena *seldom);
ws_status cuda_engine_start(void *engine, wsi_why *why);
ws_status cuda_engine_stop(void *engine, wsi_why *why);
extern const size_t cuda_engine_bytes;

#endif
