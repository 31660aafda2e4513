/*
 * reference.h - channels against another reference than they were recorded with (--rereference),
 * and over their standard deviation (--unit-variance): by name only, never by default.
 */
#ifndef WSI_IO_REFERENCE_H
#define WSI_IO_REFERENCE_H

#include "io/read/input.h"

/* Which channels are the reference, and which are set against its mean: those that are known to be
 * EEG (types.h), or where none is, all that are selected.  list: "average", of these themselves, or
 * names of any channels.  WS_E_ARG, WS_E_NOMEM. */
ws_status wsi_reference_choose(wsi_input *in, const char *list);

/* Reads the reference of all epochs.  WS_E_FORMAT where a sample of it is no number. */
ws_status wsi_reference_read(wsi_input *in);

/* Takes it off samples first .. of what signal i needs (wsi_input_span). */
void wsi_reference_subtract(const wsi_input *in, size_t i, size_t first, size_t count, double *x);

/* Bytes that it takes while the input is read. */
size_t wsi_reference_bytes(const wsi_input *in);

/* A signal over the standard deviation of the samples selected; one without stays as it is. */
void wsi_unit_variance(const wsi_input *in, void *x);

#endif
