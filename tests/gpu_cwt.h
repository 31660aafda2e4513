/* gpu_cwt.h - a wavelet transform on a GPU against the CPU's. */
#ifndef GPU_CWT_H
#define GPU_CWT_H

#include "random_job.h"
#include "wavesift/cwt.h"

typedef struct cwt_asked {
	ws_shape shape;
	ws_cwt_opts o;
	double frequencies[64];
	const void *x;
	size_t x_gap, row_gap, channel_gap; /* bytes between rows */
	size_t device_memory;
	ws_progress progress;
} cwt_asked;

/* [channel][frequency][output] numbers */
typedef struct cwt_rows {
	size_t frequencies, outputs, numbers;
	double *v;
	char plan[1280];
} cwt_rows;

void cwt_rows_free(cwt_rows *r);

/* A context of a device; those without a limit are kept: a device takes long to open. */
ws_ctx *gpu_cwt_context(const cwt_asked *a, const char *device);
void gpu_cwt_leave(const cwt_asked *a, ws_ctx *ctx);
/* Which array is asked for. */
int gpu_cwt_array(const cwt_asked *a);
ws_status gpu_cwt_plan(ws_plan **plan, ws_ctx *ctx, const cwt_asked *a, ws_array *array);
ws_status gpu_cwt_execute(const ws_plan *plan, const ws_io *io);
/* Rows of the caller's; what lies between them stays as it was, or the test fails. */
ws_status gpu_cwt_run(const cwt_asked *a, const char *device, cwt_rows *out);

/* The largest difference by the largest number of each row; of phases by the magnitudes, as far as
 * they change the coefficient (or NULL); less what rounds.  NaN where a number is none. */
double gpu_cwt_error(const cwt_asked *a, const cwt_rows *want, const cwt_rows *got,
                     const cwt_rows *magnitude);

/* Between begin and finish, which fails where one differs, or fewer than `least` were compared:
 * runs both and compares; options that contradict each other are passed over.  count: what the
 * caller has compared, by its error and what it may be. */
void gpu_cwt_begin(void);
void gpu_cwt_compare(cwt_asked *a);
void gpu_cwt_count(const cwt_asked *a, double error, double most, const cwt_rows *got);
void gpu_cwt_finish(const char *what, int least);

/* Channels of noise, tones, chirps and, if asked for, random walks. */
void *gpu_cwt_signals(rng *r, const ws_shape *shape, bool walks);
/* Log-spaced at random between two, in any order. */
void gpu_cwt_frequencies(cwt_asked *a, rng *r, size_t count, double low, double high);

#endif
