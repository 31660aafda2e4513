/*
 * writer.h - what the formats of results share.
 *
 * writer.c owns names (temporary, final), the order of calls and the type of
 * the rows; a format sees channels in order, in the stored type, and writes
 * to the temporary name.  To add a format, write one file with a
 * wsi_writer_format and name it in the table of writer.c.
 */
#ifndef WSI_IO_WRITER_H
#define WSI_IO_WRITER_H

#include <stdio.h>

#include "base/status.h"
#include "io/mode_figures.h"
#include "io/result.h"
#include "io/spool.h"

typedef struct wsi_writer_format {
	const char *ending;
	/* w->temp exists, empty. */
	ws_status (*open)(wsi_writer *w);
	ws_status (*put)(wsi_writer *w, size_t epoch, size_t channel, const void *signal,
	                 const void *modes, size_t n_modes, const void *residue,
	                 const ws_mode_figures *figures);
	/* Completes and closes the file; every channel was put. */
	ws_status (*finish)(wsi_writer *w, const wsi_fact *facts, size_t n_facts);
	/* Frees w->state, whatever came before. */
	void (*close)(wsi_writer *w);
	bool keeps_figures;        /* finish wants w->figures */
} wsi_writer_format;

extern const wsi_writer_format wsi_writer_hdf5;
extern const wsi_writer_format wsi_writer_npy;
extern const wsi_writer_format wsi_writer_mat;
extern const wsi_writer_format wsi_writer_csv;

struct wsi_writer {
	const wsi_writer_format *format;
	char *path;                /* "-": standard output */
	char *folder;              /* of path; "." */
	char *temp;                /* NULL for standard output */
	bool overwrite;
	/* Names, units, epoch_numbers (here always) and start_time are copies;
	 * events and facts are the caller's, valid in open() only. */
	wsi_result_header header;
	size_t entries;            /* channels put so far, over all epochs */
	size_t modes;              /* largest count so far */
	double *figures;           /* [kind][entry][max_modes], where the format keeps them */
	void *rows;                /* the channel in the stored type, where it differs */
	void *state;               /* the format's own */
};

static inline size_t
wsi_type_bytes(ws_type type)
{
	return type == WS_F32 ? sizeof(float) : sizeof(double);
}

/* Epochs counted as files count them: a continuous recording has one. */
static inline size_t
wsi_header_epochs(const wsi_result_header *header)
{
	return header->epochs ? header->epochs : 1;
}

/* What errno says about writing path: a full disk, or another reason. */
ws_status wsi_write_fail(const char *path);
/* fflush and fclose, whatever f's state; WS_OK only when all was written. */
ws_status wsi_write_close(FILE *f, const char *path);

/* open, put and close of the formats that lay their file out at commit:
 * w->state is a wsi_spool. */
ws_status wsi_spooled_open(wsi_writer *w);
ws_status wsi_spooled_put(wsi_writer *w, size_t epoch, size_t channel, const void *signal,
                          const void *modes, size_t n_modes, const void *residue,
                          const ws_mode_figures *figures);
void wsi_spooled_close(wsi_writer *w);

#endif
