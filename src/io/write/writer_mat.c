/*
 * writer_mat.c - MATLAB files: a variable for each array of the result, (channel,mode,time) or what
 * its axes are, with a leading epoch dimension if epoched, and epoch; axes that are not
 * just numbers; fs, fs_known, samples, first_time, time_origin, time_unit, start_time, provenance,
 * events, channel_names, units.  Version 5 where every array stays below MATLAB's 2 GiB, else 7.3.
 */
#include "io/write/writer_format.h"
#include "io/write/writer_mat5.h"
#include "io/write/writer_mat73.h"

/* MATLAB's bound for a variable of version 5, less its heads. */
#define MAT5_MAX_BYTES (((uint64_t)1 << 31) - 4096)

static ws_status
mat_finish(wsi_writer *w, const ws_fact *facts, size_t n_facts)
{
	for (const wsi_file_array *a = w->arrays; a < w->arrays + w->n_arrays; ++a) {
		uint64_t bytes = wsi_type_size(a->type);
		for (int i = 0; i < a->rank; ++i)
			bytes *= wsi_axis_extent(w, a->axes[i]);
		if (bytes >= MAT5_MAX_BYTES)
			return wsi_mat73_write(w, facts, n_facts);
	}
	return wsi_mat5_write(w, facts, n_facts);
}

const wsi_writer_format wsi_writer_mat = {
	".mat", wsi_spooled_open, wsi_spooled_put, mat_finish, wsi_spooled_close, NULL, NULL,
};
