/*
 * backend.h - what a backend in a library of its own offers the core, which
 * opens it at run time (api/backend.c).  The one there is: CUDA (src/cuda,
 * libwavesift_cuda.so).
 *
 * The library has no symbol of the core's to call, and prints nothing: what
 * went wrong comes back as a status and one line of text.
 */
#ifndef WSI_BACKEND_H
#define WSI_BACKEND_H

#include "math/real.h"
#include "ops/engine.h"
#include "ops/io.h"

/* Changes with anything that both sides must agree on. */
#define WSI_BACKEND_VERSION 12

/* What else they must agree on: the core refuses a backend whose numbers are others, which was
 * built from other sources. */
typedef struct wsi_shared {
	size_t backend, params, engine, extent, sift_job, joint_job, progress; /* bytes of these
	                            structs */
	size_t numerics;         /* WSI_NUMERICS_VERSION */
} wsi_shared;

#define WSI_SHARED                                                                              \
	{                                                                                       \
		sizeof(wsi_backend), sizeof(wsi_params), sizeof(wsi_engine), sizeof(wsi_extent), \
			sizeof(wsi_sift_job), sizeof(wsi_joint_job), sizeof(wsi_progress),       \
			WSI_NUMERICS_VERSION                                                     \
	}

/* A line that tells what went wrong and what to do; of WS_E_NOMEM at work the
 * caller adds what the method should have less of. */
typedef struct wsi_why { char text[256]; } wsi_why;

typedef struct wsi_device_facts {
	char model[128];
	char detail[128];        /* "compute capability 9.0, driver 13.0" */
	size_t memory, memory_free; /* bytes */
	unsigned char uuid[16];  /* of the device, whatever its number; 0: not told, as of a part of
	                            a device */
	bool usable;
	wsi_why why;             /* it is not */
} wsi_device_facts;

/* Memory that the device works in: its own, or this machine's within its reach. */
typedef enum wsi_memory { WSI_DEVICE_MEMORY, WSI_HOST_MEMORY } wsi_memory;

typedef struct wsi_device wsi_device;

/*
 * What a device does for a transform that does not sift.  What is to be done is a plain struct that
 * both sides know (ops/NAME_job.h); all that it points to lies in the host's memory and stays as
 * it is until run() returns.
 */
typedef struct wsi_device_transform {
	const char *name;        /* of the transform */
	size_t job_bytes;        /* of that struct, as the library was built */

	/* Bytes that run() takes: of the device's memory, `most` at best, and of pinned memory of
	 * the host.  part: as in ws_plan, of the output axis that io names; 0: all.
	 * WS_E_NOMEM: *device are the least that would do.  WS_E_BACKEND: something is missing. */
	ws_status (*measure)(wsi_device *d, const void *job, size_t part, size_t most,
	                     size_t *device, size_t *pinned, wsi_why *why);

	/*
	 * Does the work.  Arrays in the host's memory are filled when it returns; for those in the
	 * device's the work is only put into io->stream, and their samples are not looked at.
	 * WS_E_FORMAT: a sample is not finite, or a result is more than the type holds; the line
	 * names the channel.  A cancelled one is WS_OK.
	 */
	ws_status (*run)(wsi_device *d, const void *job, const wsi_io *io, size_t device,
	                 size_t pinned, wsi_progress *progress, wsi_why *why);

	/* Adds to a plan's description: "  kernels    cuda/.., ..\n". */
	void (*describe)(wsi_device *d, const void *job, char *text, size_t size);
} wsi_device_transform;

typedef struct wsi_backend {
	int version;             /* WSI_BACKEND_VERSION */
	wsi_shared shared;       /* WSI_SHARED, as the library was built */
	const char *name;        /* "cuda" */
	size_t engine_bytes;     /* of the engine that layout() makes */

	/* Devices of this machine; 0 with why where there are none. */
	int (*devices)(wsi_why *why);
	void (*facts)(int device, wsi_device_facts *facts);

	/* An open device serves many engines, one after the other or at once. */
	ws_status (*open)(int device, wsi_device **out, wsi_why *why);
	void (*close)(wsi_device *d);

	/* Memory, kept for the next borrower until close().  WS_E_NOMEM. */
	ws_status (*borrow)(wsi_device *d, wsi_memory kind, size_t bytes, void **memory,
	                    wsi_why *why);
	void (*give_back)(wsi_device *d, wsi_memory kind, void *memory);

	/*
	 * The extremes of rows[row][samples] in the device's memory, once all of its stream
	 * `stream` so far is done.  A row that holds a number that is not finite has that sample's
	 * number in bad[row], others SIZE_MAX.
	 */
	ws_status (*look)(wsi_device *d, const void *rows, size_t stride, size_t n, size_t samples,
	                  ws_type type, void *stream, double *low, double *high, size_t *bad,
	                  wsi_why *why);

	/* Rows that keep the device busy when worked on together. */
	int (*good_rows)(const wsi_device *d, const wsi_params *params);

	/*
	 * Makes an engine for up to `rows` rows at a time, and `beside` beside those of a sift, in
	 * `engine` (engine_bytes, aligned to WSI_ALIGN).  Rows and kernels' memory come
	 * from the device's arena, rows that are used seldom from `seldom`, which
	 * is WSI_HOST_MEMORY, or where it is NULL from the device's too; small
	 * arrays come from the host's.  All measure, with base NULL, or none.
	 */
	void (*layout)(void *engine, wsi_device *d, const wsi_params *params, int rows, int beside,
	               wsi_progress *progress, wsi_arena *host, wsi_arena *device,
	               wsi_arena *seldom);
	/* Between these a real engine works.  stop() waits for the device and
	 * tells what failed since start(); after a failure operations do nothing
	 * and the progress counts as cancelled. */
	ws_status (*start)(void *engine, wsi_why *why);
	ws_status (*stop)(void *engine, wsi_why *why);

	/* The row of a transform that does not sift; NULL: there is none. */
	const wsi_device_transform *(*transform)(const char *name);
} wsi_backend;

/* The symbol that the library exports: NULL where it is of another version. */
#define WSI_BACKEND_ENTRY "wsi_backend_entry"
typedef const wsi_backend *(*wsi_backend_entry_fn)(int version);

#endif
