/* gpu_conv.h - a convolution with masks at random, on a GPU and on the CPU. */
#ifndef GPU_CONV_H
#define GPU_CONV_H

#include "random_job.h"
#include "wavesift/conv.h"

typedef struct conv_set {
	ws_masks masks;
	size_t *lengths, *offsets;
	double *values;
	ws_shape shape;
	void *x;                /* [channel][sample], of the shape's type */
} conv_set;

/* How long masks are. */
typedef enum lengths { SHORT, MIXED, LONG, ALIKE, LENGTH_KINDS } lengths;

typedef struct responses {
	size_t outputs, bytes;  /* bytes: of a row */
	char *y;                /* [channel][mask][output] */
	int32_t *method;
} responses;

conv_set conv_set_draw(rng *r, size_t channels, size_t samples, size_t masks, lengths kind,
                       size_t longest, ws_type type, bool complex);
void conv_set_free(conv_set *s);

ws_ctx *gpu_conv_context(const char *device, size_t device_memory);
/* Options drawn at random that mean nothing with such signals go back to their defaults. */
void gpu_conv_mend(ws_conv_opts *o, ws_type type);
/* Fills outputs and bytes of r, too. */
ws_plan *gpu_conv_plan(ws_ctx *ctx, const conv_set *s, const ws_conv_opts *opts, responses *r);
ws_status gpu_conv_execute(const ws_plan *plan, const ws_io *io);

/* gap: bytes between rows of responses, which must stay as they were. */
responses gpu_convolve(const conv_set *s, ws_ctx *ctx, const ws_conv_opts *opts, size_t gap);
void responses_free(responses *r);
/* Says where they first differ. */
bool same_responses(const conv_set *s, const responses *a, const responses *b);
void describe_convolution(const conv_set *s, const ws_conv_opts *o, int trial);

#endif
