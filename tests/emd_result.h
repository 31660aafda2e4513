/* emd_result.h - the arrays of a decomposition and channels of them, as a run would tell them. */
#ifndef WSI_EMD_RESULT_H
#define WSI_EMD_RESULT_H

#include "io/write/writer_format.h"
#include "wavesift/emd.h"

enum { EMD_FIGURES = WS_EMD_RESIDUE_SHARE - WS_EMD_FREQUENCY, EMD_MOST_MODES = 64 };

static const struct {
	const char *name;
	unsigned flags;
	bool mode, time;
} emd_kinds[WS_EMD_ARRAYS] = {
	[WS_EMD_SIGNAL]        = { "signal", WS_ARRAY_SIGNAL, false, true },
	[WS_EMD_MODES]         = { "modes", WS_ARRAY_MAIN, true, true },
	[WS_EMD_RESIDUE]       = { "residue", WS_ARRAY_MAIN, false, true },
	[WS_EMD_MODE_COUNT]    = { "mode_count", WS_ARRAY_COUNT, false, false },
	[WS_EMD_SIFTS]         = { "sifts", WS_ARRAY_OPTIONAL, true, false },
	[WS_EMD_UNFINISHED]    = { "unfinished", WS_ARRAY_OPTIONAL, false, false },
	[WS_EMD_FREQUENCY]     = { "frequency", WS_ARRAY_OPTIONAL, true, false },
	[WS_EMD_BAND_LOW]      = { "band_low", WS_ARRAY_OPTIONAL, true, false },
	[WS_EMD_BAND_HIGH]     = { "band_high", WS_ARRAY_OPTIONAL, true, false },
	[WS_EMD_HALF_WAVES]    = { "half_waves", WS_ARRAY_OPTIONAL, true, false },
	[WS_EMD_EFFECTIVE_HALF_WAVES] = { "effective_half_waves", WS_ARRAY_OPTIONAL, true, false },
	[WS_EMD_ZERO_CROSSING_FREQUENCY] = { "zero_crossing_frequency", WS_ARRAY_OPTIONAL, true, false },
	[WS_EMD_VARIANCE_SHARE] = { "variance_share", WS_ARRAY_OPTIONAL, true, false },
	[WS_EMD_RESIDUE_SHARE] = { "residue_share", WS_ARRAY_OPTIONAL, false,
		false },
	[WS_EMD_ALIGNMENT] = { "alignment", WS_ARRAY_OPTIONAL, true, false },
	[WS_EMD_CAPPED] = { "capped", WS_ARRAY_OPTIONAL, false, false },
	[WS_EMD_MEDIAN_FREQUENCY] = { "median_frequency", WS_ARRAY_OPTIONAL, true, false },
	[WS_EMD_END_SHARE] = { "end_share", WS_ARRAY_OPTIONAL, true, false },
};

/* Gives the header arrays of its channels, samples and type. */
static inline void
declare(wsi_result_header *h, size_t max_modes)
{
	static ws_array arrays[WS_EMD_ARRAYS];
	for (int i = 0; i < WS_EMD_ARRAYS; ++i) {
		const bool whole = (i >= WS_EMD_MODE_COUNT && i <= WS_EMD_UNFINISHED)
		                   || i == WS_EMD_CAPPED;
		ws_array *a = &arrays[i];
		*a = (ws_array){ .size = sizeof *a, .name = emd_kinds[i].name, .text = "",
			.flags = emd_kinds[i].flags, .rank = 1, .axis = { WS_AXIS_CHANNEL },
			.type = emd_kinds[i].time ? h->type : whole ? WS_I32 : WS_F64,
			.extent = { wsi_header_epochs(h) * h->channels } };
		if (emd_kinds[i].mode) {
			a->axis[a->rank] = WS_AXIS_MODE;
			a->extent[a->rank++] = max_modes;
		}
		if (emd_kinds[i].time) {
			a->axis[a->rank] = WS_AXIS_TIME;
			a->extent[a->rank++] = h->samples;
		}
	}
	h->arrays = arrays;
	h->n_arrays = WS_EMD_ARRAYS;
}

/* A figure of a mode: which counts from WS_EMD_FREQUENCY on. */
static inline double
figure(int which, size_t entry, size_t mode)
{
	return 100 * which + 10 * (double)entry + (double)mode + 0.1;
}

/* Puts a channel: entry counts those of all epochs. */
static inline ws_status
put_rows(wsi_writer *w, size_t entry, const void *signal, const void *modes, size_t n_modes,
         const void *residue)
{
	static double figures[EMD_FIGURES][EMD_MOST_MODES];
	static const int32_t sifts[EMD_MOST_MODES];
	const int32_t count = (int32_t)n_modes;
	const double share = 0.25;
	double alignment[EMD_MOST_MODES];
	for (size_t m = 0; m < n_modes; ++m)
		alignment[m] = figure(-1, entry, m);
	const void *data[WS_EMD_ARRAYS] = {
		[WS_EMD_SIGNAL] = signal, [WS_EMD_MODES] = modes, [WS_EMD_RESIDUE] = residue,
		[WS_EMD_MODE_COUNT] = &count, [WS_EMD_SIFTS] = sifts, [WS_EMD_UNFINISHED] = sifts,
		[WS_EMD_RESIDUE_SHARE] = &share, [WS_EMD_ALIGNMENT] = alignment, [WS_EMD_CAPPED] = sifts,
		[WS_EMD_MEDIAN_FREQUENCY] = alignment,
		[WS_EMD_END_SHARE] = alignment,
	};
	ws_slab slabs[WS_EMD_ARRAYS] = { { 0 } };
	for (int i = 0; i < WS_EMD_ARRAYS; ++i) {
		int rank = 0;
		slabs[i].data = data[i];
		if (emd_kinds[i].mode)
			slabs[i].extent[rank++] = n_modes;
		if (emd_kinds[i].time)
			slabs[i].extent[rank++] = w->header.samples;
	}
	for (int k = 0; k < EMD_FIGURES; ++k) {
		for (size_t m = 0; m < n_modes; ++m)
			figures[k][m] = figure(k, entry, m);
		slabs[WS_EMD_FREQUENCY + k].data = figures[k];
	}
	const ws_channel_result r = { .size = sizeof r, .channel = entry, .slabs = slabs };
	return wsi_writer_put(w, &r);
}

#endif
