/* io.h - the arrays of an execution: the caller's ws_io with all strides resolved. */
#ifndef WSI_IO_H
#define WSI_IO_H

#include <stdbool.h>

#include "wavesift/wavesift.h"

typedef struct wsi_io {
	const char *x;
	size_t x_stride;        /* bytes from one channel to the next */
	size_t first_channel;   /* of x, in the recording */
	size_t numbers_from;    /* what the first channel and sample are called (base/status.h) */
	const void *noise;      /* or NULL */
	const ws_buffer *arrays; /* those of the transform, in its order */
	bool on_device;         /* rows of samples lie in the GPU's memory */
	bool all_on_device;     /* so are all other arrays, but for counts that the host needs */
	void *stream;           /* then: its stream whose work so far made them */
	size_t first, count;    /* the part that is wanted of the axis by which the transform can be
	                           cut; arrays have only that part.  count 0: all */
	struct wsi_peers *peers; /* several devices work on these arrays together; or NULL */
} wsi_io;

/* Row k of channel c of array[channel][row][..]; of array[channel][..] k is 0. */
static inline void *
wsi_io_row(const wsi_io *io, int array, size_t c, size_t k)
{
	const ws_buffer *b = &io->arrays[array];
	return (char *)b->data + c * b->stride[0] + k * b->stride[1];
}

static inline bool
wsi_io_wants(const wsi_io *io, int array)
{
	return io->arrays[array].data != NULL;
}

#endif
