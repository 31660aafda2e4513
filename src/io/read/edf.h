/* edf.h - what the EDF reader (edf.c) and its events (edf_events.c) share. */
#ifndef WSI_IO_EDF_H
#define WSI_IO_EDF_H

#include "io/read/readers.h"

typedef struct edf_signal {
	size_t per_record;  /* samples in a data record */
	size_t offset;      /* bytes from the start of a data record */
	double gain, shift; /* physical = gain * digital + shift */
	double low, high;   /* digital minimum and maximum; both 0: there is no scale */
	enum { EDF_SIGNAL, EDF_ANNOTATIONS, EDF_TRIGGERS } kind;
} edf_signal;

typedef struct edf_state {
	wsi_file file;
	wsi_sample_type type;  /* WSI_I16: EDF, WSI_I24: BDF */
	bool plus;             /* EDF+ or BDF+ */
	bool discontinuous;    /* EDF+D or BDF+D */
	uint64_t data_offset;
	size_t records;
	size_t record_bytes;
	double record_seconds; /* 0 where unknown */
	bool other_version;    /* than those of EDF and BDF */
	bool contradicts; /* the version is of one of them, the variant or the name of the other */
	size_t unscaled, first_unscaled; /* signals without a scale */
	edf_signal *signals;   /* [n_channels] */
} edf_state;

/* Adds annotations and trigger onsets to the recording's events, and where records of a
 * discontinuous one leave gaps, or a device began anew, segments.  *first_onset: seconds
 * from the header's start time to the first sample. */
ws_status edf_read_events(wsi_recording *rec, double *first_onset);
/* Date dd.mm.yy (any separator) and time hh.mm.ss of the header's first 256 bytes to
 * rec->start_time, plus first_onset; "" where they are not a date. */
void edf_set_start(wsi_recording *rec, const char *head, double first_onset);

#endif
