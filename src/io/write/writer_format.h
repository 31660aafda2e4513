/*
 * writer_format.h - what the formats of results share.
 *
 * writer.c owns names (temporary, final) and the life of a file, writer_arrays.c the arrays that
 * the file has and their axes, writer_put.c what has come of each channel, and the type of the
 * elements.  A format sees parts of arrays, in the stored type and any order, and writes to the
 * temporary name.  To add a format, write one file with a wsi_writer_format and name it in the
 * table of writer.c.
 */
#ifndef WSI_IO_WRITER_FORMAT_H
#define WSI_IO_WRITER_FORMAT_H

#include "base/element.h"
#include "base/kept.h"
#include "io/write/outfile.h"
#include "io/result/result.h"
#include "io/write/spool.h"

/* An axis of the file.  Arrays whose axes are of the same kind, extent and values share it. */
typedef struct wsi_file_axis {
	ws_axis kind;              /* WS_AXIS_NONE: epochs */
	char name[64];             /* "time", "coarse_time", "power_3_time" .. */
	size_t extent;             /* of modes: the most that there may be */
	double *values;            /* NULL: numbers from 1, and for time i / fs */
	bool days;                 /* of its moments, on an axis of months, days since 1970 */
	size_t every;              /* of time without values: samples between its moments; 0: those
	                              of the signal */
} wsi_file_axis;

#define WSI_FILE_AXES (WS_MOST_AXES + 1)

/* An array of the file. */
typedef struct wsi_file_array {
	ws_array made;             /* as the run tells it; name is a copy */
	ws_type type;              /* as it is stored */
	size_t slab;               /* its number in a ws_channel_result */
	int rank;
	const wsi_file_axis *axes[WSI_FILE_AXES]; /* those of made, but epoch and channel apart */
	uint64_t bytes;            /* of one channel, with the most modes there may be */
	bool given;                /* there is some of it */
	bool shared;               /* by all channels: it comes with each, and is taken once; made
	                              then has a channel axis that the file has not */
} wsi_file_array;

/* A channel of an epoch. */
typedef struct wsi_file_entry {
	size_t *got;               /* [array] elements, all modes for one; while some have come */
	uint32_t modes;            /* found */
	bool complete;
} wsi_file_entry;

typedef struct wsi_writer_format {
	const char *ending;
	/* w->temp exists, empty. */
	ws_status (*open)(wsi_writer *w);
	/* Takes a part, not empty, of an array.  entry: epoch * channels + channel. */
	ws_status (*put)(wsi_writer *w, const wsi_file_array *array, size_t entry,
	                 const ws_slab *slab);
	/* Completes and closes the file; every channel was put. */
	ws_status (*finish)(wsi_writer *w, const ws_fact *facts, size_t n_facts);
	/* Frees w->state, whatever came before. */
	void (*close)(wsi_writer *w);
	/* Of formats that several processes may write, else NULL.  places: as
	 * wsi_writer_places().  note: takes what another process has written, by its sums. */
	ws_status (*places)(wsi_writer *w, wsi_places *places);
	ws_status (*note)(wsi_writer *w, const wsi_file_array *array, size_t entry,
	                  const ws_slab *slab, const uint32_t *sums);
} wsi_writer_format;

extern const wsi_writer_format wsi_writer_hdf5;
extern const wsi_writer_format wsi_writer_npy;
extern const wsi_writer_format wsi_writer_mat;
extern const wsi_writer_format wsi_writer_csv;
extern const wsi_writer_format wsi_writer_joined; /* writes in a file that is another process's */

struct wsi_writer {
	const wsi_writer_format *format;
	char *path;                /* "-": standard output */
	wsi_newfile file;          /* that has its name at last */
	const char *temp;          /* its hidden name; NULL for standard output */
	bool overwrite;
	/* Names, units, epoch_numbers (here always), start_time, folder and the list of facts are
	 * copies; events and texts of facts are the caller's.  Its arrays are here: */
	wsi_result_header header;
	wsi_kept kept;             /* what of the header, arrays and axes are copies */
	wsi_file_array *arrays;    /* that files have, in the run's order */
	size_t n_arrays;
	wsi_file_axis *axes;       /* epoch (if epoched), channel, and others as they are met */
	size_t n_axes;
	wsi_file_entry *entries;   /* [epoch][channel] */
	size_t n_entries;
	size_t n_complete;         /* so far */
	size_t modes;              /* largest number found so far */
	const uint32_t *const *expected; /* [slab] of the next put: sums of what another process has
	                              written, or NULL; or NULL */
	const char *faint, *faint_channel; /* the first array and channel of which f32 has lost what
	                              was put; or NULL */
	void *part;                /* a part of an array in the stored type, where it differs */
	size_t part_bytes;
	struct wsi_sidecar *sidecar; /* that of a .npy (writer_sidecar.h); or NULL */
	void *state;               /* the format's own */
};

/* What open and finish were told, as one list for free(), in which each key is there once, as it
 * was told last; NULL where there is no memory. */
ws_fact *wsi_writer_facts(const wsi_writer *w, const ws_fact *facts, size_t n_facts, size_t *n);

/* ---- Arrays and axes --------------------------------------------------------- */

/* Takes the header's arrays and axes; names of arrays are those of the file. */
ws_status wsi_writer_take_arrays(wsi_writer *w, const wsi_result_header *from);

/* Epochs counted as files count them: a continuous recording has one. */
static inline size_t
wsi_header_epochs(const wsi_result_header *header)
{
	return header->epochs ? header->epochs : 1;
}

/* At commit: that of modes is the largest number found. */
static inline size_t
wsi_axis_extent(const wsi_writer *w, const wsi_file_axis *axis)
{
	return axis->kind == WS_AXIS_MODE && w->modes < axis->extent ? w->modes : axis->extent;
}

/* Time is on the recording's axis. */
double wsi_axis_value(const wsi_writer *w, const wsi_file_axis *axis, size_t i);

/* What moments are counted from, as the CF conventions have it: "seconds since
 * 2009-08-24T00:20:03"; "" where nothing tells. */
#define WSI_TIME_UNITS 64
const char *wsi_header_time_units(const wsi_result_header *h, char text[WSI_TIME_UNITS]);

/* Months differ in length, which a time axis of years does not know: is it one of months?  Then
 * their days are an axis beside it, "date" beside "time". */
bool wsi_axis_steps_by_months(const wsi_writer *w, const wsi_file_axis *axis);
wsi_file_axis wsi_axis_of_days(const wsi_file_axis *axis);

/* Is time its last axis, as of all that is long? */
static inline bool
wsi_array_timed(const wsi_file_array *a)
{
	return a->made.axis[a->made.rank - 1] == WS_AXIS_TIME;
}

/* At commit: an optional array that never came, which the file is to be without. */
static inline bool
wsi_array_absent(const wsi_file_array *a)
{
	return !a->given && (a->made.flags & WS_ARRAY_OPTIONAL) != 0;
}

/* Hands over the slab by stretches, each of which lies in one piece in the array of its channel (of
 * most modes): from byte `at` on. */
typedef ws_status (*wsi_stretch_sink)(void *user, uint64_t at, const void *data, size_t bytes);
ws_status wsi_slab_stretches(const wsi_file_array *array, const ws_slab *slab,
                             wsi_stretch_sink sink, void *user);
/* Puts them into a spool, where the array of the channel begins at byte `at`. */
ws_status wsi_slab_spool(const wsi_file_array *array, const ws_slab *slab, const wsi_spool *spool,
                         uint64_t at);

/* ---- Several processes ------------------------------------------------------- */

/* Is it known beforehand which rows the array has, all of which come, and how long they are in the
 * file?  Then they have their places from the beginning, in their order. */
bool wsi_array_known(const wsi_result_header *header, const wsi_file_array *array);
/* May other processes write to these?  Each row is as many chunks as wsi_row_chunks() says, of as
 * many samples (the last may have fewer), and each of these has pages of its own.  The same in all
 * processes that write a file. */
bool wsi_array_placed(const wsi_result_header *header, const wsi_file_array *array);
size_t wsi_row_chunks(size_t row, size_t *samples);
/* The number among them of row k of a slab. */
size_t wsi_slab_row(const wsi_file_array *array, size_t entry, const ws_slab *slab, size_t k);
/* How many a slab has. */
size_t wsi_slab_rows(const wsi_file_array *array, const ws_slab *slab);
/* open of wsi_writer_joined. */
ws_status wsi_joined_open(wsi_writer *w, const wsi_places *places);

/* ---- Files ------------------------------------------------------------------- */

/* A name and what follows it as a field of CSV, quoted where it must be, and no formula. */
void wsi_csv_put_name(FILE *f, const char *name, const char *after);

/* open, put and close of the formats that lay their file out at commit. */
ws_status wsi_spooled_open(wsi_writer *w);
ws_status wsi_spooled_put(wsi_writer *w, const wsi_file_array *array, size_t entry,
                          const ws_slab *slab);
void wsi_spooled_close(wsi_writer *w);
/* The spool of the arrays that have a time axis, or of the others, and where an entry of an array
 * begins in it. */
const wsi_spool *wsi_spooled_in(const wsi_writer *w, bool timed);
uint64_t wsi_spooled_place(const wsi_writer *w, const wsi_file_array *array, size_t entry);

#endif
