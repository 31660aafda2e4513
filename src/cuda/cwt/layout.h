/*
 * layout.h - the device memory of a wavelet transform, and the ranges that it is done in.
 *
 *     groups of channels:  samples -> spectra
 *       ranges of frequencies (and of the group's channels):
 *         classes, batches of rows:  z, responses -> staging, or the caller's arrays
 *       staging -> the host, beside the next range
 */
#ifndef WSI_CUDA_CWT_LAYOUT_H
#define WSI_CUDA_CWT_LAYOUT_H

#include "cuda/cwt/split.h"
#include "cuda/cwt/ways.h"
#include "cuda/device/device.h"
#include "cuda/device/grid.h"
#include "cuda/fft/library.h"

constexpr size_t CWT_MOST_ROWS = GRID_ROWS; /* of a batch: a launch's blocks */

struct cwt_layout {
	size_t channels;        /* of a group */
	size_t forward;         /* channels that are transformed forward together */
	size_t frequencies;     /* of a range that is staged */
	size_t listed;          /* of one that is not */
	size_t range_channels;  /* of one that is staged */
	size_t tile_channels;   /* whose tiles are worked on together; 0: no class has tiles */
	size_t row_bytes;       /* of an output row, without gaps */
	size_t fft_bytes;       /* that cuFFT works in */
	/* Offsets; those from z on share their place with what the forward transforms need. */
	size_t heads, bad, scales, weights, flat, roots, taps, spectra, work;
	size_t samples, found, padded, wide; /* forward */
	/* Of edges: bins; where there is no map, both buffers, points along the line, means. */
	size_t edge_near, edge_a, edge_b, edge_line, edge_mean;
	bool edge_mapped;
	size_t z, grid_response; /* of grids */
	size_t z_bytes, grid_response_bytes;
	/* Of tiles: tapers and roots; responses; signals and spectra. */
	size_t tables, tile_response, tiles, tables_bytes, tile_response_bytes, tiles_bytes;
	/* Tiles that are made beside others: their signal, and what its transform works in. */
	size_t signal, signal_fft, signal_bytes, signal_fft_bytes;
	/* Of results that are formed of rows (results.cu): epochs whose spectra, and whose rows,
	 * are there; rows of results and items of a range; tables, rows, what is unfinished. */
	size_t epochs, row_epochs, result_rows, items;
	size_t sums_tables, sums_rows, sums_state;
	size_t sums_tables_bytes, sums_rows_bytes, sums_state_bytes;
	size_t smooth, smoothed; /* of times: what is transformed; sums of so many frequencies */
	size_t fft, staging, staging_bytes; /* two of these */
	size_t total;
	/* The forward transform in two passes (spectrum.cu); else by cuFFT. */
	bool own;
	cwt_split split;
	size_t found_blocks;    /* of a channel */
};

/* Numbers of cwt_window.flat that a class has. */
size_t cwt_flat(const cwt_class &k);

/* What a channel's tiles of a class take, bytes; the taper is all channels'. */
struct cwt_tile_bytes {
	size_t signal, spectra, taper;
};
cwt_tile_bytes cwt_bytes_of_tiles(const wsi_cwt_job &job, const cwt_class &k, bool signal);

/* Are results of pairs of channels; of all pairs? */
inline bool
cwt_of_pairs(const wsi_cwt_job &job)
{
	return job.sums.form >= WSI_CWT_PAIRS;
}
inline bool
cwt_of_all_pairs(const wsi_cwt_job &job)
{
	return cwt_of_pairs(job) && job.sums.against == WS_AGAINST_ALL;
}
/* Frequencies *first and up to what it gives, which rows `row` and on of results are formed of. */
size_t cwt_frequencies_of(const wsi_cwt_job &job, size_t row, size_t rows, size_t *first);
/* Transforms of times that are made together. */
fft_shape cwt_smooth_shape(const wsi_cwt_job &job, size_t smoothed);

/* Of results that are formed of rows: channels or pairs; bytes of an output in all arrays. */
size_t cwt_items(const wsi_cwt_job &job);
size_t cwt_result_bytes(const wsi_cwt_job &job);
/* Bytes of an output of array k of these; 0: it is not made. */
size_t cwt_formed_bytes(const wsi_cwt_job &job, int k);

/* Complex numbers of a row of a class: of the grid, and between passes. */
size_t cwt_row_points(const cwt_class &k);

/* Inverse transforms that so many frequencies of a class take. */
size_t cwt_rows_of(const cwt_class &k, size_t frequencies, size_t channels);

/* Those of a class that are worked on together in so many bytes; at least 1. */
size_t cwt_together(const cwt_class &k, size_t channels, size_t rows, size_t z_bytes,
                 size_t room);

/* Frequencies whose responses such a batch may need. */
size_t cwt_batch_scales(size_t channels, size_t rows);

/* Bins of a channel's spectrum that are stored: those below 0, 0 .. N / 2, those above. */
inline size_t
cwt_below(const wsi_cwt_job &job)
{
	return job.edge.at_zero ? job.edge.out : 0;
}
inline size_t
cwt_above(const wsi_cwt_job &job)
{
	return job.edge.at_half ? job.edge.out : 0;
}
inline size_t
cwt_bins(const wsi_cwt_job &job)
{
	return cwt_below(job) + job.length / 2 + 1 + cwt_above(job);
}

/* Edges of so many channels, which are transformed as rows of so many points. */
inline size_t
cwt_edge_count(const wsi_cwt_job &job, size_t channels)
{
	return job.edge.table_count ? channels * ((size_t)job.edge.at_zero + job.edge.at_half) : 0;
}
fft_shape cwt_edge_shape(size_t points, size_t rows);

/* Of the padded signals; of a class's rows. */
fft_shape cwt_forward_shape(const wsi_cwt_job &job, size_t channels);
fft_shape cwt_back_shape(const cwt_class &k, size_t rows);

/*
 * The layout of at most `most` bytes that works on most at a time, of groups of at most so many
 * channels.  frequencies: that are made; mapped: edges may have a map.  Jobs of the same signals
 * with groups alike have their spectra in the same place.  WS_E_NOMEM: *out is the least.  Plans of
 * cuFFT are made on the way, and kept.
 */
ws_status cwt_lay_out(wsi_device *d, const wsi_cwt_job &job,
                      const std::vector<cwt_class> &classes, size_t frequencies,
                      size_t channels, size_t most, bool mapped, cwt_layout *out, wsi_why *why);

#endif
