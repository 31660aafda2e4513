/*
 * transform.h - a transform: a row of a table, and the plan that it makes.
 *
 * Everything else follows from the row: plan and execution (src/api), blocks (src/run), files
 * (src/io), and what the program and bindings offer.  docs/adding-a-transform.md walks through one.
 */
#ifndef WSI_TRANSFORM_H
#define WSI_TRANSFORM_H

#include <math.h>
#include <stdbool.h>

#include "base/element.h"
#include "base/kept.h"
#include "base/line.h"
#include "base/progress.h"
#include "ops/backend.h"
#include "ops/io.h"

/* A GPU that is open. */
typedef struct wsi_gpu {
	const wsi_backend *backend;
	wsi_device *device;
	char name[16];          /* "cuda:0" */
	char model[128];
	unsigned char uuid[16]; /* as in wsi_device_facts */
	size_t limit;           /* bytes of its memory that a plan may take */
} wsi_gpu;

typedef struct wsi_transform wsi_transform;

/* What plans of all transforms have.  A transform's own plan begins with it. */
struct ws_plan {
	const wsi_transform *transform;
	ws_shape shape;
	const void *options;    /* every default resolved; in the plan itself */
	const char *isa;        /* instruction set of the CPU's kernels */
	int threads;            /* before resolve(): at most; after it: that work */
	size_t x_rows;          /* rows of samples that x has for a channel; 0: one */
	size_t part;            /* of the axis transform->cut one execution makes at most so many;
	                           0: all */
	const wsi_gpu *gpu;     /* works instead of the CPU; or NULL */
	int rank, size;         /* of GPUs that share this work, each with a plan; 0, 1: alone */
	char note[256];         /* why the CPU works although there is a GPU; or "" */
	size_t workspace;       /* bytes */
	size_t tables;          /* bytes of this machine's memory that fill() takes */
	size_t making;          /* and while it works, for itself */
	size_t device_bytes;    /* of the GPU's memory */
	size_t host_bytes;      /* of this machine's memory besides workspace; or 0 */
	size_t memory;          /* bytes that plan and blocks may take, or 0: no limit */
	bool again;             /* it is of a block of a run, which has more of them */
	size_t at_once;         /* channels that are well worked on together; 0: one */
	double seconds;         /* expected, of one execution */
	const struct wsi_array *further; /* arrays besides those of the row; resolve() names them */
	int n_further;
	wsi_kept kept;          /* memory that resolve() took, freed with the plan */
	char describe[1280];
};

/* An element: of the plan's type, complex of it, or always the same. */
typedef enum wsi_element { WSI_REAL, WSI_COMPLEX, WSI_F64, WSI_I32 } wsi_element;

/* An array as a row declares it.  The first axis is WS_AXIS_CHANNEL, but of what all channels
 * share. */
typedef struct wsi_array {
	const char *name, *text;
	wsi_element element;
	ws_axis axis[WS_MOST_AXES];
	unsigned flags;         /* WS_ARRAY_.. */
	int made_by;            /* bits of the row's own: which options make it; 0: all */
} wsi_array;

/* An options struct within that of a row, in a room that stays when it grows. */
typedef struct wsi_within {
	const char *name;       /* "ws_emd_opts"; NULL: there is none */
	size_t offset, room;    /* bytes */
	size_t size, least;     /* of this version, of the first */
	unsigned tag;
} wsi_within;

/* An option that others make meaningless. */
typedef struct wsi_need {
	const char *option;     /* NULL ends a list of them */
	bool (*holds)(const ws_shape *shape, const void *opts); /* false: it means nothing */
	const char *where;      /* it means nothing: "without `significance`" */
} wsi_need;

struct wsi_transform {
	ws_transform about;     /* what callers see; first */
	const ws_option *const *options; /* ends with NULL */
	const wsi_need *needs;  /* NULL: none */
	const char *options_name; /* of the options struct, "ws_emd_opts" */
	wsi_within within;
	const wsi_array *arrays;
	int n_arrays;
	size_t plan_size;       /* of its plan */

	/* Channels that are one signal and cannot be parted; NULL: each is one. */
	size_t (*unit)(const ws_shape *shape, const void *opts);
	/* Checks opts, which has this version's size, and fills the plan but for memory: options,
	 * threads, seconds.  Called again with plan->gpu set.  WS_E_ARG names the option. */
	ws_status (*resolve)(ws_plan *plan, const void *opts);
	/* Copies what opts lend beyond what resolve() did, of a plan that is to be executed, before
	 * the caller may take it back; NULL: nothing. */
	ws_status (*keep)(ws_plan *plan, const void *opts);
	/* Extent of an axis other than channel and time, or of a time axis that differs from the
	 * signal's; 0 for an array that these options do not make.  NULL: as the signal. */
	size_t (*extent)(const ws_plan *plan, int array, ws_axis axis);
	/* Elements of an array where the options decide; declared: as the row says.  NULL:
	 * these. */
	wsi_element (*element)(const ws_plan *plan, int array, wsi_element declared);
	/* Values of an axis, as ws_plan_axis() gives them; false: the usual ones.  May be NULL. */
	bool (*axis_values)(const ws_plan *plan, int array, ws_axis axis, double *values);
	/* Samples between the moments of an array's time axis, where these are 0, every, 2 every ..
	 * samples of the signal; 0: others, which axis_values() tells.  NULL: 0. */
	size_t (*every)(const ws_plan *plan, int array);
	/* Makes the tables that run() needs, those that are not there, and frees them; NULL: there
	 * are none.  Plans that are only looked at are without.  WS_E_NOMEM, WS_E_CANCELLED: then
	 * there are none.  progress, or NULL: asked often. */
	ws_status (*fill)(ws_plan *plan, wsi_progress *progress);
	void (*empty)(ws_plan *plan);
	/* Fills workspace, device_bytes and host_bytes, and where resolve() does not, tables and
	 * making.  aside: what is seldom used may lie in host memory where the GPU's does not
	 * suffice.  WS_E_NOMEM where nothing fits. */
	ws_status (*measure)(ws_plan *plan, bool aside);
	/* Do all devices make the same bits?  NULL: they differ in last digits. */
	bool (*same_anywhere)(const ws_plan *plan);
	/* How many GPUs can share the work on such channels; NULL: one. */
	int (*most_peers)(const ws_plan *plan);
	/* Does the work.  A cancelled one is WS_OK here.  workspace: plan->workspace bytes. */
	ws_status (*run)(const ws_plan *plan, const wsi_io *io, wsi_progress *progress,
	                 void *workspace);
	/* Several lines for people: "  method     emd, ..\n". */
	void (*describe)(const ws_plan *plan, wsi_line *to);
	/* Frees what resolve() took beyond plan->kept; NULL: nothing. */
	void (*release)(ws_plan *plan);
	/* Can a GPU do it?  WS_E_UNSUPPORTED says why not.  NULL: it has no GPU code yet. */
	ws_status (*on_gpu)(const ws_shape *shape, const void *opts);

	bool fills_there;       /* takes WS_MEMORY_DEVICE_ALL */
	/* Does an execution look at the caller's noise?  NULL: none does. */
	bool (*takes_noise)(const ws_plan *plan);

	/* The output axis by which a channel is cut where memory is short: run() makes the part
	 * that io names, measure() knows plan->part.  0: none. */
	ws_axis cut;
	bool costly;            /* works long on what it reads: blocks are as large as fits */
	/* As ws_options_check() and ws_options_line(); NULL: there is nothing to check; the line is
	 * the facts. */
	ws_status (*check)(const void *opts, const ws_option_file *files);
	void (*line)(const void *opts, const ws_option_file *files, wsi_line *to);
	/* What an array has of a part of it, *first .. *first + *count - 1, which becomes the
	 * array's own; NULL: that part.  Its row 0 in io is the first that it has. */
	void (*part)(const ws_plan *plan, int array, size_t *first, size_t *count);
	/* What the user may take less of, so that it needs less memory; NULL: samples. */
	const char *fewer;
};

/* The rows: those of the library, then what tests register. */
const wsi_transform *wsi_transform_find(const char *name);
/* Adds a row for the life of the process; only tests do. */
void wsi_transform_register(const wsi_transform *transform);

/* A plan of like->transform, for its shape and place: resolved, measured and described, without
 * tables.  opts: the transform's options struct of this version's size.  On failure *plan is
 * NULL. */
ws_status wsi_plan_make(ws_plan **plan, const ws_plan *like, const void *opts, bool aside);
/* Describes a plan once more: some tell more of themselves with their tables. */
void wsi_plan_tell(ws_plan *plan);
/* A plan of the transform of that name, for the place of `outer`, which runs it inside and fills
 * it. */
ws_status wsi_plan_within(ws_plan **inner, const ws_plan *outer, const char *name,
                          const ws_shape *shape, const void *opts);
void wsi_plan_free(ws_plan *plan);
/* fill() and empty() of any plan; NULL is fine. */
ws_status wsi_plan_fill(ws_plan *plan, wsi_progress *progress);
void wsi_plan_empty(ws_plan *plan);

/* ---- Options structs ---------------------------------------------------------------------- */

/* Copies the caller's options, or all defaults where from is NULL, to `to` of this version's size.
 * WS_E_ARG: size, tag, or a struct within is wrong. */
ws_status wsi_options_take(const wsi_transform *t, void *to, const void *from);
/* Are these whole options of the transform, as this version has them?  WS_E_ARG. */
ws_status wsi_options_whole(const wsi_transform *t, const void *opts);
/* Are those at their defaults that other transforms of the family have and this one does not, and
 * those that another makes meaningless (wsi_need)?  opts: of this version's size.  WS_E_ARG names
 * one. */
ws_status wsi_options_offered(const wsi_transform *t, const ws_shape *shape, const void *opts);

/* Seconds: work of one thread that takes less is not shared out, as waking others takes longer. */
#define WSI_ALONE 5e-4

/* Seconds on so many threads of what takes one thread so long: they share memory, and often
 * cores. */
static inline double
wsi_shared_out(double seconds, int threads)
{
	return seconds / pow(threads, 0.8);
}

/* ---- For rows --------------------------------------------------------------------------- */

/* Samples of a row of x: those that results are of, and what lies about them. */
static inline size_t
wsi_shape_x_samples(const ws_shape *shape)
{
	return shape->before + shape->samples + shape->after;
}

/* Bytes of x that a channel has, without gaps. */
static inline size_t
wsi_plan_x_bytes(const ws_plan *plan)
{
	return (plan->x_rows ? plan->x_rows : 1) * wsi_shape_x_samples(&plan->shape) *
	       wsi_type_size(plan->shape.type);
}

/* Arrays of a plan: those of its row, then its further ones; at most WSI_MOST_ARRAYS. */
#define WSI_MOST_ARRAYS 48
static inline int
wsi_plan_arrays(const ws_plan *plan)
{
	return plan->transform->n_arrays + plan->n_further;
}

static inline const wsi_array *
wsi_plan_declared(const ws_plan *plan, int i)
{
	const int own = plan->transform->n_arrays;
	return i < own ? &plan->transform->arrays[i] : &plan->further[i - own];
}

/* Counts tables of a plan, and what they are made in. */
static inline void
wsi_plan_add_tables(ws_plan *plan, size_t bytes, const size_t *making)
{
	plan->tables += bytes;
	plan->making = *making > plan->making ? *making : plan->making;
}

/* What *array holds of the i-th array of a plan, whose rank, type and extents are filled. */
void wsi_plan_array(const ws_plan *plan, int i, ws_array *array);

/* The same where one execution makes at most `part` of the axis by which the transform can be cut;
 * 0: all. */
void wsi_plan_array_part(const ws_plan *plan, int i, size_t part, ws_array *array);
/* How many values an axis of an array has.  WS_E_ARG: it has no such axis, or more than room. */
ws_status wsi_axis_extent(const ws_array *array, ws_axis axis, size_t room, size_t *extent);

/* run() of a transform that takes each channel alone, on the CPU: calls one() for all channels, on
 * plan->threads threads, and reports progress.  The first that fails ends it. */
ws_status wsi_each_channel(const ws_plan *plan, const wsi_io *io, wsi_progress *progress,
                           ws_status (*one)(const ws_plan *plan, const wsi_io *io,
                                            size_t channel));

/* same_anywhere() of what is. */
bool wsi_same_anywhere(const ws_plan *plan);

/* measure() of such a transform that needs no memory of its own. */
ws_status wsi_no_workspace(ws_plan *plan, bool aside);

#endif
