/*
 * input.h - the part of a recording that a command works on: channels, epochs and
 * samples, all of one rate and length, read as f64 or f32.
 *
 * Samples are read, checked and mended in one pass.  How a file is read follows from the order of
 * its samples:
 *
 *     WSI_READ_ONCE         channel after channel: from beginning to end, as signals are asked for
 *     WSI_READ_TRANSPOSED   all channels of a moment together: from beginning to end, before the
 *                           first signal is asked for; the signals wait in memory
 *     WSI_READ_SPOOLED      the same, where memory is short: they wait in a temporary file
 *     WSI_READ_AS_IT_COMES  any other order, and files that libraries read: each signal from where
 *                           it lies
 *
 * The file's checksum is taken in the same pass; of WSI_READ_AS_IT_COMES in one of its own.
 */
#ifndef WSI_IO_INPUT_H
#define WSI_IO_INPUT_H

#include "base/kept.h"
#include "io/read/file.h"
#include "io/read/recording.h"
#include "io/read/resample.h"
#include "io/read/times.h"

typedef enum wsi_reading {
	WSI_READ_AS_IT_COMES, WSI_READ_ONCE, WSI_READ_TRANSPOSED, WSI_READ_SPOOLED
} wsi_reading;

#define WSI_MOST_MISSING 16

/* Of wsi_pick.resample, instead of a rate: the lowest or highest of the channels selected. */
#define WSI_RATE_LOWEST (-1.0)
#define WSI_RATE_HIGHEST (-2.0)
/* Of wsi_pick.interpolate: 1 s or 10 samples, whichever is longer. */
#define WSI_GAP_DEFAULT (-1.0)

/* What to take of a recording. */
typedef struct wsi_pick {
	const char *channels, *epochs; /* lists as of selection.h; NULL: all signals, all epochs */
	wsi_moment from, to;
	size_t segment; /* of those between pauses, counted from 1; 0: none is named */
	bool join;                    /* pauses are passed over; else what crosses one is refused */
	ws_type type;                 /* of the samples handed out */
	double interpolate;           /* gaps up to this, s, are mended (samples where no rate is
	                                 known), or WSI_GAP_DEFAULT; 0: they are refused */
	const char *rereference;      /* "average" or channels (reference.h); or NULL */
	bool unit_variance;           /* signals over their standard deviation (reference.h) */
	const char *missing;          /* numbers "-9999,999.9" that stand for no sample; or NULL */
	const char *epochs_at;        /* events, by label or pattern (names.h), around which epochs
	                                 are cut; or NULL */
	double tmin, tmax;            /* then: s from the sample of an event to its epoch's first
	                                 sample, and to the one after its last, each rounded to
	                                 whole samples */
	double resample;              /* Hz, that channels are brought to before all else; a
	                                 WSI_RATE_*; 0: they are read as they are */
	bool gathered;                /* all epochs of a channel are read before the next */
	bool beyond;                  /* what lies about the times selected is handed out too, up to
	                                 the ends, of an epoch those of its own, and to pauses */
} wsi_pick;

typedef struct wsi_input {
	wsi_recording *rec;           /* owned */
	wsi_kept kept;                /* most of what follows */
	size_t n_channels, *channels; /* of the recording */
	size_t n_epochs, *epochs;     /* one, of number 0, where it is continuous */
	bool epoched, fs_known, gathered;
	double fs;
	size_t all;                   /* samples of each signal, at fs, before times are chosen */
	size_t first, samples;
	size_t before, after;        /* samples about them that are handed out too */
	size_t *starts;               /* [epoch] of those cut around events: sample of the
	                                 recording that is their first; or NULL */
	double start;                 /* then: its time, the event's being 0 */
	wsi_event *events;            /* [n_events] that lie in what is taken (input_events.h);
	                                 labels are the recording's */
	size_t n_events;
	size_t left_out;              /* events whose epoch is not whole */
	size_t crossing;              /* and those whose epoch a pause cuts, or that lie in one */
	size_t segment;               /* that all samples are of; 0: there is one, or epochs are of
	                                 several, or they are joined */
	size_t joined;                /* segments that were made one; else 0 */
	size_t *joins; /* [joined] the sample, of all, that each began with; or NULL */
	wsi_resample *resamplers;     /* [n_resamplers], one for each rate; or NULL */
	size_t n_resamplers;
	size_t *resampler;            /* [channel] its number, SIZE_MAX: its rate is fs; or NULL */
	ws_type type;
	double interpolate;           /* as of wsi_pick */
	bool unit_variance;
	const char *rereference;      /* as it was asked for; or NULL */
	bool *referenced;             /* [channel] it is set against the reference; or NULL */
	size_t *reference, n_reference; /* channels of the recording, whose mean that is */
	size_t first_referenced;
	double *reference_rows; /* [epoch][reference_length], of the samples that signals need */
	size_t reference_length;
	const char *missing;
	double fill[WSI_MOST_MISSING]; /* the numbers of missing */
	size_t n_fill;
	size_t *mended;               /* [signal] samples interpolated, once it is read */
	size_t *mirrored;             /* [signal] 1: less of it is known about what is selected: up
	                                 to a sample that is not finite; behind mended */
	size_t bad;                   /* channels that would have been selected */
	bool unhashed;                /* set: nobody asks for checksums */
	size_t reader, readers;       /* set: of several processes that read together; readers 0:
	                                 one is alone (input_read.h) */
	char sha256[65];              /* of the file, once it is read; or "" */
	char samples_sha256[65];      /* of the file of samples beside it, where reading that told
	                                 it; or "" */
	/* How it is read. */
	wsi_reading reading;
	size_t reading_bytes;         /* of memory, for that */
	wsi_window window;
	double *part;                 /* CHUNK samples */
	size_t *row_offset;           /* [channel] bytes of the rows before, where the rows of an
	                                 epoch are kept; [n_channels] of all */
	double *source;               /* a row at its own rate; or NULL */
	size_t *gap;                  /* [signal] where the open gap began, or SIZE_MAX */
	size_t *small;                /* [signal] of f32: a sample that f32 changes, of which it
	                                 holds none so far; SIZE_MAX: none is; or WSI_NOT_SMALL */
	void *transposed;             /* [signal][sample] read beforehand, in memory; or NULL */
	int spool;                    /* the file that holds them instead; or -1 */
	struct wsi_hashing *hashing;  /* of the file, beside everything else; or NULL */
} wsi_input;

#define WSI_NOT_SMALL (SIZE_MAX - 1)

void wsi_input_close(wsi_input *in);

/* Samples that a signal is handed out with: those selected, and what lies about them. */
size_t wsi_input_handed(const wsi_input *in);

/* Numbers that stand for no sample (--missing) become NaN; of an array of floats the nearest to
 * such. */
void wsi_input_take_missing(const wsi_input *in, double *x, size_t n);

/* The largest number of a type. */
double wsi_largest(ws_type type);

const char *wsi_input_name(const wsi_input *in, size_t channel);
#endif
