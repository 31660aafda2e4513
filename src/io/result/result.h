/*
 * result.h - the arrays of a transform on disk: written channel by channel; modes are read
 * back for plot and compare.
 *
 * The format follows the name's ending: .h5 (all of it), .npy (the main arrays as one: modes
 * [channel][mode][time], residue last; a leading epoch axis if epoched; with NAME.npy.json beside
 * it, which has all else), .mat (a variable for each array, fs, channel_names ..), .csv (time, then
 * columns for each channel: signal and main arrays).  Written to a temporary name beside the output
 * and renamed at last: a half-written result never looks whole.  Layouts: docs/result-format.md.
 */
#ifndef WSI_IO_RESULT_H
#define WSI_IO_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/write/outfile.h"
#include "io/read/recording.h"
#include "wavesift/wavesift.h"

/* "frequency", as files name an axis. */
const char *wsi_axis_name(ws_axis axis);

/* Whether what it holds, where anybody told it, is Hz. */
bool wsi_axis_in_hz(ws_axis axis);

/* Of an array that a program adds to those of a run: half of the interval about each number of
 * another one, whose name and this it is called by. */
#define WSI_ARRAY_INTERVAL (1u << 16)
#define WSI_INTERVAL "_interval"

/* What does not depend on the samples.  All borrowed by the writer for the time of the open call,
 * but events and texts of facts until it is finished. */
typedef struct wsi_result_header {
	size_t epochs;         /* 0: no epoch axis */
	const int32_t *epoch_numbers; /* in the recording, counted from 1; NULL: 1, 2, .. */
	size_t channels;       /* of an epoch */
	size_t samples;        /* of the signal */
	const ws_array *arrays; /* as ws_run_array() tells them; their channel axis runs over the
	                          channels of all epochs, files have it as two axes */
	size_t n_arrays;
	const double *const *axes; /* [array][WS_MOST_AXES] values of an axis (ws_run_axis()); NULL,
	                          or NULL in it: numbers from 1, and for time i / fs */
	const size_t *every;   /* [array][WS_MOST_AXES] of a time axis without values: samples
	                          between its moments, 0: those of the signal; NULL: all 0 */
	const char *folder;    /* that the arrays lie in within the file, "cwt"; "" : none */
	ws_type type;          /* WS_F64 or WS_F32: of the rows handed over */
	ws_type store;         /* likewise: of the rows stored */
	size_t memory;         /* bytes that the rows may take until they are laid out */
	int threads;           /* of the work that the file is written beside */
	int compress;          /* 0 none, 1..9 deflate level (HDF5, MAT) */
	double fs;             /* 1 with fs_known false: axes in samples */
	bool fs_known;
	double first_time;     /* s from the recording's start to sample 0 (--from) */
	double time_origin;    /* of the recording's start on its own time axis, s */
	double time_unit;      /* that the recording counts time in, s; 0: not told */
	const char *start_time;
	bool dated;            /* the recording's times are dates, as those of tables are to be */
	const char *const *channel_names;
	const char *const *units;
	const wsi_event *events;
	size_t n_events;
	const ws_fact *facts;  /* provenance */
	size_t n_facts;
} wsi_result_header;

typedef struct wsi_writer wsi_writer;

/* What open would refuse of path, creating nothing; and of its folder alone. */
ws_status wsi_writer_check(const char *path, bool overwrite);
ws_status wsi_folder_check(const char *path);

/* path "-" writes CSV to standard output.  WS_E_EXISTS where path exists and
 * overwrite is false; WS_E_NOSPACE; WS_E_IO. */
ws_status wsi_writer_open(wsi_writer **writer, const char *path,
                          const wsi_result_header *header, bool overwrite);
/* Takes one channel, or where the run cuts an axis a part of it; what is not cut may come with each
 * part.  Channels are numbered through all epochs.  WS_E_ARG: all of the channel came before. */
ws_status wsi_writer_put(wsi_writer *writer, const ws_channel_result *result);
/* The first array, and its channel, that is stored as f32 and below its range: digits of it are
 * lost, or all of it is 0.  NULL: there is none. */
const char *wsi_writer_faint(const wsi_writer *writer, const char **channel);
/* Trims the mode axis to the largest count, and closes.  What is left is that wsi_put_in_place()
 * gives its files their names and that wsi_writer_abort() frees writer.  complete: how many these
 * are, 0 of standard output, 2 of a .npy with what stands beside it. */
ws_status wsi_writer_finish(wsi_writer *writer, const ws_fact *facts, size_t n_facts);
size_t wsi_writer_complete(const wsi_writer *writer, wsi_complete files[2]);
/* Removes what has not got its name; frees writer.  NULL is fine. */
void wsi_writer_abort(wsi_writer *writer);

/* ---- Several processes that write one file ------------------------------ */

/* One opens and finishes it; it knows where rows of arrays lie whose extents are known beforehand
 * and that are not compressed.  Others join, each in a process of its own, and write such rows to
 * their places: those of the channels that they have, in any order.  What has no place, and the
 * checksums of what has one, they tell the first. */
typedef struct wsi_places {
	char temp[256];        /* the hidden name that the file has, in the output's folder */
	uint64_t inode;        /* and its number there */
	size_t n;              /* chunks of all such rows; 0: there are none */
	uint64_t *at;          /* of each where it begins, bytes; the caller frees it */
} wsi_places;

/* Of a file of another format, and of standard output, there are none. */
ws_status wsi_writer_places(wsi_writer *writer, wsi_places *places);

/* A writer that only writes what has a place, with the header of the first; path is its output.
 * wsi_writer_put() is as of any writer.  WS_E_IO where there is no such file here, as on a machine
 * whose disk is another. */
ws_status wsi_writer_join(wsi_writer **writer, const char *path, const wsi_result_header *header,
                          const wsi_places *places);
/* May processes of several machines write one file there, each its own pages? */
bool wsi_writer_is_shared(const wsi_writer *writer);
/* The sums of what the last put wrote of a slab, *n of them, told once; NULL: it has no place, or
 * was put before.  They stay until the next put. */
const uint32_t *wsi_writer_sums(wsi_writer *writer, size_t slab, size_t *n);
/* All that was put is on the disk, or WS_E_NOSPACE, WS_E_IO. */
ws_status wsi_writer_settle(wsi_writer *writer);

/* Of the first: what is put next has been written by another, where sums[slab] is not NULL; its
 * slabs have no data then.  NULL: from now on nothing has. */
void wsi_writer_expect(wsi_writer *writer, const uint32_t *const *sums);

/* ---- Reading back ------------------------------------------------------ */

/* Every result is opened once, as a recording with a list of its arrays (array_list.h): of HDF5 by
 * arrays.h, whatever the transform; of modes in other formats by modes.h.  A wsi_result is not a
 * second reader but what arrays of modes mean: it owns such a recording and reads through it
 * (result.c).  Who wants arrays by name takes the recording, who wants modes the result. */
typedef struct wsi_result {
	size_t epochs, channels, max_modes, samples;
	double fs;
	bool fs_known;
	double first_time, time_origin, time_unit;  /* as above; 0 for want of them */
	const char *start_time;
	bool timed;            /* first_time is the file's */
	char **channel_names;
	bool named;            /* they are the file's; else numbers from 1 */
	char **units;
	int32_t *epoch_numbers; /* [epoch], in the recording, from 1; NULL: the file has none */
	int32_t *mode_count;   /* [epoch or 1][channel] */
	/* [epoch or 1][channel][max_modes], of multivariate EMD; NULL: the file has none.  NaN
	 * where a mode has none (WS_EMD_ALIGNMENT, WS_EMD_VARIANCE_SHARE). */
	double *alignment, *variance_share;
	/* [channel][max_modes] of averages: medians over the epochs; NULL: the file has none. */
	double *frequency, *band_low, *band_high, *half_waves, *end_share;
	const wsi_event *events; /* placed as an input's (input.h), where they were asked for */
	size_t n_events;
	const char *transform; /* "iceemdan", or ""; of hht that of its modes */
	bool has_signal;       /* false for .npy: the sum of the rows stands in */
	bool has_intervals;    /* it has averages over epochs, all with their intervals */
	const char *title;     /* "Improved CEEMDAN of recording.edf", or "" */
	const char *options;   /* "100 realizations, noise 0.2, ..", or ""   */
	const char *epochs_at; /* the events of --epochs-at, or "" */
	const wsi_recording *rec; /* behind it */
	void *state;
} wsi_result;

/* Opens a result in any format we write (.h5, .npy, .mat; not CSV), and
 * .npy/.mat arrays of modes that other tools wrote.  opts, of which memory,
 * decoder and with_events count, may be NULL. */
ws_status wsi_result_open(wsi_result **result, const char *path, const wsi_open_opts *opts);
void wsi_result_close(wsi_result *result);
/* The number of an epoch in its recording, or where that is not known in the result. */
int32_t wsi_result_epoch(const wsi_result *result, size_t epoch);
/* row 0..mode_count-1: that mode; WSI_ROW_SIGNAL, WSI_ROW_RESIDUE. */
#define WSI_ROW_SIGNAL  ((size_t)-1)
#define WSI_ROW_RESIDUE ((size_t)-2)
ws_status wsi_result_read(wsi_result *result, size_t epoch, size_t channel, size_t row,
                          size_t first, size_t count, double *out);
/* The same of half the interval about each number, where has_intervals. */
ws_status wsi_result_read_interval(wsi_result *result, size_t channel, size_t row, size_t first,
                                   size_t count, double *out);

/* Of what wsi_modes_open() opened (modes.h): the same as a result, which has rec from then on, also
 * where it fails. */
ws_status wsi_result_of(wsi_result **result, wsi_recording *rec);

#endif
