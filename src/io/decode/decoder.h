/*
 * decoder.h - HDF5, MAT, EEGLAB and sound are decoded in a process of its own.
 *
 * The libraries for these formats crash, hang or worse on some damaged files, and nothing of ours
 * can tell all of these.  So each such file is given to a small program, wavesift-decode
 * (src/decode): it starts before a byte of the file is decoded, may open no other file, talk to
 * nobody, run nothing, and has bounds on memory and time; what it does wrong ends it and not us.
 * It stays until the recording is closed.  Samples come over shared memory.  Where it cannot be
 * started nothing is read.  What is promised on which system: docs/security.md.
 *
 * A decoder is used by one thread at a time.  It ends with its process, however that ends.
 */
#ifndef WSI_IO_DECODER_H
#define WSI_IO_DECODER_H

#include "base/new.h"
#include "io/read/recording.h"

typedef struct wsi_decoder wsi_decoder;

/* Starts a decoder for the file rec->path and opens it there as rec->reader would: fills rec in,
 * rec->decoder with it.  Errors are the reader's; WS_E_FORMAT also where decoding crashes or does
 * not end, WS_E_IO where there is no decoder. */
ws_status wsi_decoder_open(wsi_recording *rec);

/* Verifies the checksums of a result in HDF5; how many arrays and chunks have them.  WS_E_FORMAT
 * also where it has none. */
ws_status wsi_decoder_verify(const char *path, const wsi_open_opts *opts, size_t *arrays,
                             size_t *chunks);

/* count samples from first on, inside what was opened; samples: there are in the channel. */
ws_status wsi_decoder_read(wsi_decoder *d, size_t epoch, size_t channel, size_t first, size_t count,
                           size_t samples, double *out);

void wsi_decoder_close(wsi_decoder *d);  /* NULL is fine */

/* Bytes of memory where opts tell none: four fifths of the machine's. */
size_t wsi_reading_memory(const wsi_open_opts *opts);

#endif
