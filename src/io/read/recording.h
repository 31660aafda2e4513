/*
 * recording.h - a recording on disk, whatever its format: what it is, and how readers fill it in.
 * open.h opens one.  To add a format, write one file with a wsi_reader and name it in the table of
 * readers.h.
 */
#ifndef WSI_IO_RECORDING_H
#define WSI_IO_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wavesift/wavesift.h"

typedef struct wsi_channel {
	char *name;      /* never NULL; "1", "2", .. where the file names none */
	char *unit;      /* "uV", "" where unknown                            */
	double fs;       /* Hz; 1 where unknown                               */
	size_t samples;  /* per epoch                                         */
	bool is_signal;  /* false: status, trigger or annotation channel, or no samples */
	const char *type; /* "eeg", "eog", .. (types.h); NULL: not known */
	bool bad;        /* somebody found it so (channels_file.h): it is left out of a selection */
	char *fault;     /* why its samples cannot be had; NULL: they can     */
} wsi_channel;

typedef struct wsi_event {
	double onset;    /* s from the first sample, as the file counts them (segments.h) */
	double duration; /* s */
	char *label;
	/* Of an input (input.h): */
	size_t epoch;    /* among those taken, counted from 1; 0: it has none */
	double time;     /* on the time axis of what is taken */
} wsi_event;

/* Samples without an interruption (segments.h); times in s from the first sample. */
typedef struct wsi_segment {
	double at;       /* where it begins, by samples alone */
	double start;    /* the same, as the file counts time */
	double pause;    /* before it; NAN: not known */
} wsi_segment;

/* How the samples of a file follow each other. */
typedef enum wsi_order {
	WSI_ORDER_OTHER,
	WSI_ORDER_CHANNELS,   /* epoch by epoch, channel by channel */
	WSI_ORDER_SAMPLES     /* epoch by epoch, all channels of a stretch of time together */
} wsi_order;

typedef struct wsi_recording wsi_recording;
struct wsi_layout;

/* One format.  read() fills out[count] of a channel from sample first. */
typedef struct wsi_reader {
	const char *name;       /* for people: "EDF+", "MAT v5" */
	/* How sure this reader is that the file is its own, from its first bytes
	 * and its name: 0 no, 1 by name only, 2 by content. */
	int (*probe)(const unsigned char *head, size_t head_bytes, const char *path);
	size_t state_bytes;     /* of rec->state, zeros before open; 0: open makes it, if any */
	ws_status (*open)(wsi_recording *rec);
	ws_status (*read)(wsi_recording *rec, size_t epoch, size_t channel,
	                  size_t first, size_t count, double *out);
	void (*close)(wsi_recording *rec);  /* what rec->state holds, and what open made of it */
	/* Where samples lie (layout.h); NULL: others cannot be written in their places.  Of a
	 * foreign reader it is called where it has no state. */
	ws_status (*layout)(wsi_recording *rec, struct wsi_layout *layout);
	bool foreign;           /* by a library that is not trusted with hostile files */
	int decoder;            /* then: what the decoder is asked for (wire.h) */
} wsi_reader;

/* What the user told us about the input; zero means not told. */
typedef struct wsi_open_opts {
	const char *raw;       /* "f32,channels=32,order=channel[,skip=BYTES][,endian=big]" */
	const char *variable;  /* array of a MAT or HDF5 file */
	double fs;             /* overrides the file's */
	const char *missing;   /* the caller will take numbers for missing samples (input.h) */
	int date_order;        /* of 03/04/2020: a text_date_order (text_time.h); 0: not told */
	const char *events_from; /* channel of triggers, whose events replace the file's; or NULL */
	size_t memory;         /* bytes that reading may take; 0: a part of the machine's */
	struct wsi_opened *opened; /* is told each file that is opened (opened.h); or NULL */
	bool masks;            /* wanted are masks, [mask][tap]: complex numbers are taken, as two
	                          channels each, and the arrays of a packed file (masks.h), each as
	                          a channel of its name */
	bool of_option; /* rows are directions or noise that an option asks for, no channels */
	bool keeps_lines;      /* of a table it stays known which line a row was read from */
	bool with_events;      /* of a result of modes its events are wanted (modes.h) */
	bool any_arrays;       /* of a result all arrays are wanted, be there modes or not, and
	                          events (arrays.h) */
	const char *decoder;   /* the program that decodes HDF5, MAT, EEGLAB and sound (decoder.h);
	                          NULL: beside the running program; WSI_IN_PROCESS */
} wsi_open_opts;

/* No decoder: for tests and fuzzing of what it does.  Files may crash the process. */
#define WSI_IN_PROCESS ""

/* A moment of ISO 8601, to nanoseconds and with a zone, and its NUL. */
#define WSI_MOMENT_BYTES 40

struct wsi_recording {
	char *path;            /* as the user knows it */
	const char *source;    /* that readers open: path, or in the decoder its descriptor's */
	const wsi_reader *reader;
	const char *format;    /* finer than reader->name where it matters */
	char format_text[48];  /* where the decoder told it */
	wsi_open_opts opts;    /* strings borrowed from the caller */
	size_t n_channels;
	wsi_channel *channels;
	size_t epochs;         /* 0: continuous; else every read names its epoch */
	bool fs_known;         /* false: axes are in samples */
	char start_time[WSI_MOMENT_BYTES]; /* ISO 8601 "2009-08-24T00:20:03", or "" */
	double time_origin;    /* of the first sample of each epoch on the file's own time
	                          axis, s (samples where fs is not known); 0 where it has none */
	double time_unit;      /* that a table counts time in, s; 0 elsewhere */
	bool dated;            /* its times are dates */
	size_t n_events;
	wsi_event *events;     /* by onset */
	size_t n_segments;     /* 0: it has no interruption, as far as the file tells */
	wsi_segment *segments; /* in the order of samples, which is that of time if all is well */
	struct wsi_file *file; /* of the samples, where its reader reads them itself; or NULL */
	wsi_order order;       /* of samples in it */
	char sha256[65];       /* of the file, where opening it read all of it; or "" */
	char *events_file, *channels_file; /* tables beside it that were read; or NULL */
	char *note;            /* what its user should know, in lines that name the file; or NULL */
	bool complex;          /* channels are real and imaginary parts in turn (opts.masks) */
	bool packed;           /* channels are the arrays of a packed file (opts.masks) */
	size_t held;           /* bytes of memory that stay taken until it is closed; 0: few */
	struct wsi_decoder *decoder; /* that holds it open (decoder.h); or NULL */
	struct wsi_beside *beside;   /* its samples, where they lie in another file; or NULL */
	struct wsi_arrays *arrays;   /* of a result, in place of samples (arrays.h); or NULL */
	void *state;           /* the reader's own */
};

/* Names that a sampling rate has in files of arrays, then NULL; the first is FieldTrip's; and those
 * of times of samples, in s. */
extern const char *const wsi_rate_names[], *const wsi_time_names[];

/* For readers.  Copies; NULL stays NULL; NULL also when out of memory. */
char *wsi_strdup(const char *s);
/* Bytes of notes, from which on further ones are left out, and the last one says so. */
#define WSI_MOST_NOTES 65536

/* Adds a line to rec->note, if it is not one of them; an empty one is none. */
ws_status wsi_recording_add_note(wsi_recording *rec, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Notes that an array [time][channel] was taken for such by its longer axis, where that
 * is no sure sign: of 64 channels or more whose samples are fewer than 16 times as many. */
ws_status wsi_recording_note_transposed(wsi_recording *rec);
/* Makes n channels of so many samples, each with name "1".."n", unit "", fs 1. */
ws_status wsi_recording_set_channels(wsi_recording *rec, size_t n, size_t samples);
/* Of a number that has a name of wsi_rate_names makes the rate: dt is the distance of samples. */
ws_status wsi_recording_rate_of(wsi_recording *rec, const char *name, double *value);
/* Adds bytes to rec->held; WS_E_NOMEM where opts.memory has no room for them.  what: "its events
 * take". */
ws_status wsi_recording_count(wsi_recording *rec, uint64_t bytes, const char *what);
ws_status wsi_recording_add_event(wsi_recording *rec, double onset, double duration,
                                  const char *label);
/* Adds one that a result tells where it lies in it: time is on rec's axis, epoch counted from 1, 0
 * where there is none. */
ws_status wsi_recording_place_event(wsi_recording *rec, double time, double duration,
                                    const char *label, int epoch);
void wsi_recording_drop_events(wsi_recording *rec);

/* Replaces a channel's name or unit by a clean copy. */
ws_status wsi_channel_set_name(wsi_channel *channel, const char *name);
ws_status wsi_channel_set_unit(wsi_channel *channel, const char *unit);
/* Whoever selects or reads the channel is told so, by its name: others are read all the same. */
ws_status wsi_channel_set_fault(wsi_channel *channel, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* WS_E_FORMAT where the channel has a fault. */
ws_status wsi_channel_check(const wsi_recording *rec, size_t channel);

/* What callers rely on, whatever the file or its decoder says: channels, rates above 0, finite
 * times. */
ws_status wsi_recording_check(wsi_recording *rec);

/* By onset; events of one onset keep their order. */
ws_status wsi_recording_sort_events(wsi_recording *rec);

#endif
