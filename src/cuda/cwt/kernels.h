/*
 * kernels.h - the steps of the wavelet transform on the device; each is put into a stream.
 *
 *     cwt_spectrum, or cwt_look, cwt_pad  ->  cuFFT forward, in double  ->  cwt_narrow (f32)
 *     for batches of rows:  cwt_response, cwt_product  ->  cuFFT back  ->
 *     cwt_interpolate, or cwt_put in double
 *     for tiles:  cwt_tile_band  ->  cuFFT back, in double  ->  cwt_tile_spectra  ->  cwt_tiles
 *
 * A row is a channel at a frequency.  Complex numbers are two<T> (cuda/device/math.cuh).
 *
 * How the rows of a transform are parted; a block is one of threads:
 *
 *              channels ->
 *              +-- group 0 ------+-- group 1 ------+     group    channels whose spectra are in the
 *     fre-     |                 |                 |              device's memory together
 *     quen-    | range 0         | range 0         |     range    frequencies f .. f + count - 1
 *     cies     |                 |                 |              whose coefficients have room
 *     |        +-----------------+-----------------+     class    frequencies, anywhere in a range,
 *     v        | range 1: class A: f9 f12 f13,     |              of one way and one grid (ways.h)
 *              |          class B: f10 f11         |
 *              +-----------------+-----------------+
 *
 *     launch   | segment: rows of A | segment: rows of B |   = a batch
 *
 *     batch    rows that one launch works on: cwt_batch; of tiles cwt_tile_batch
 *     segment  the rows of a batch that are of one class: cwt_segment, cwt_tile_segment
 *     tile     CWT_TILE points of a grid, of which a warp makes the outputs at one frequency
 */
#ifndef WSI_CUDA_CWT_KERNELS_H
#define WSI_CUDA_CWT_KERNELS_H

#include "cuda/cwt/split.h"
#include "cuda/cwt/ways.h"
#include "cuda/device/math.cuh"
#include "cuda/device/work.h"
#include "ops/cwt_job.h"

/* ---- What kernels know ------------------------------------------------------------------ */

/* What was taken off a channel's samples, which are (x / scale) - offset in its spectrum. */
struct cwt_head {
	double scale;           /* a power of two */
	double offset;
};

/* What one block found in its stretch of a channel. */
struct cwt_found {
	double low, high;
	double sum;             /* of (x - the first sample) CWT_SUM_UNIT */
};
constexpr int CWT_LOOK_BLOCKS = 256; /* of a channel, at most */
constexpr double CWT_SUM_UNIT = 0x1p-40; /* sums of the largest numbers stay numbers */

/* A frequency. */
struct cwt_scale {
	wsi_wavelet wavelet;
	double step, gain;
	int k0, k1;             /* the band: bins k0 .. k1 - 1 */
	int centre;             /* bin that goes to bin 0 of the grid */
	int shift;              /* (centre - k0) mod m */
	unsigned rotation;      /* centre * decimate mod N */
	unsigned row;           /* its place in the arrays */
	short quarters;
	bool halve_nyquist;
	bool tabled;            /* the response is a table but for bins plain0 .. plain1 - 1 */
	size_t values;          /* where that begins in the batch's */
	int plain0, plain1;
	/* Grids that fold: a Gaussian's exponent, of two, is -d^2, d = (k - peak) fold_step +
	 * fold_rest of bin k. */
	int peak;
	float fold_step, fold_rest;
	/* Tiles: */
	int tile_bin;           /* that the band is about, not reduced */
	bool tile_half;         /* the response lies in the half of bins that its grid has for it */
	unsigned long long tile_step; /* of the carrier from output to output, 2^-64 turns */
};

/* Rows of one class in a batch: rows `first` and on of a list that has `channels` rows for each of
 * its scales. */
struct cwt_segment {
	const cwt_scale *scales;
	unsigned first;         /* less than the batch's channels */
	unsigned begin, end;    /* rows of the batch */
	unsigned responses;     /* responses of the batch before those of its scales */
	unsigned m;             /* points of a row */
	int ratio, taps;        /* outputs a point, 1: no interpolation; of the window */
	size_t z, response;     /* numbers, complex and real, before its rows and responses */
	unsigned band;          /* numbers from one response to the next */
	const double *flat;     /* 1 by the window's transform; or NULL */
	const void *weights;    /* [ratio][taps] */
	bool table;             /* its responses are a table */
	/* By two passes (fold.cu): these; blocks of either before the segment's; numbers before
	 * those between the passes, and of a row. */
	cwt_split split;
	unsigned blocks[2];
	float by_blocks[2];     /* 1 by those of a row */
	size_t columns, room;
	const two<float> *roots; /* cwt_fold_roots() numbers, by cwt_make_windows() */
};

/* Rows that are worked on together. */
constexpr int CWT_SEGMENTS = 16;
struct cwt_batch {
	unsigned channels, count; /* rows: segment[segments - 1].end */
	unsigned n;             /* N */
	double by_n;
	float by_channels;      /* 1 / channels */
	const double *values;   /* tables of responses, gains included */
	int segments;
	cwt_segment segment[CWT_SEGMENTS];
};

/* Where coefficients go, and as what. */
struct cwt_out {
	char *base;             /* of the first channel and place 0 */
	size_t channel_stride, frequency_stride; /* bytes */
	const cwt_head *heads;  /* of these channels */
	ws_quantity quantity;
	unsigned outputs;
};

/* The padded signal's spectrum of each channel: bins -below .. N / 2 + above. */
struct cwt_spectra {
	const void *x;          /* [channel][stride]: bin 0 of the first */
	size_t stride;          /* complex numbers */
	unsigned n;             /* N */
	int below, above;
};

/* ---- Forward (forward.cu) ----------------------------------------------------------------- */

/* found[channel][blocks]; bad[channel]: the least sample that is not finite, else ~0, which it must
 * be before.  blocks: cwt_look_blocks(). */
int cwt_look_blocks(size_t samples);
cudaError_t cwt_look(const char *x, size_t stride, unsigned channels, const wsi_cwt_job &job,
                     cwt_found *found, unsigned long long *bad, cudaStream_t stream);
/* padded[channel][N] in double, and heads. */
cudaError_t cwt_pad(const char *x, size_t stride, unsigned channels, const wsi_cwt_job &job,
                    const cwt_found *found, double *padded, cwt_head *heads, cudaStream_t stream);
/* count numbers in double to single precision. */
cudaError_t cwt_narrow(const double *from, float *to, size_t count, cudaStream_t stream);

/* A channel's look, padding, forward transform and rounding in two passes (spectrum.cu), instead of
 * cwt_look(), cwt_pad(), cuFFT and cwt_narrow().
 *
 * columns: room for N / 2 complex numbers a channel, between the passes.  found:
 * [channel][cwt_found_blocks()]; f32: room for what the first pass finds, f64: what cwt_look() has
 * found before.  Bins from `keep` on are not stored. */
int cwt_found_blocks(const wsi_cwt_job &job, const cwt_split &split);
cudaError_t cwt_spectrum(const char *x, size_t stride, unsigned channels,
                         const wsi_cwt_job &job, const cwt_split &split, cwt_found *found,
                         unsigned long long *bad, double *columns, cwt_head *heads,
                         const cwt_spectra &spectra, unsigned keep, double *near,
                         cudaStream_t stream);

/* ---- Edges (edge.cu, edge_map.cu) --------------------------------------------------------- */

/* What is made of a channel's bins beside 0, beside half the rate, or both (cpu/cwt/cwt_edge.h); a
 * row is a channel at one edge.  All in double. */
struct cwt_edge_rows {
	wsi_cwt_job_edge edge;  /* its table: in the device's memory */
	unsigned length;        /* N */
	int edges;              /* of a channel: 1, 2 */
	size_t rows;
	double *near;           /* [row][cwt_edge_near()] complex: bins by the distance from the
	                         * edge; cwt_spectrum() makes them */
	double *a, *b;          /* [row][edge.chirps] complex */
	double *line;           /* [row][edge.line] complex */
	double *mean;           /* [row] */
	const double *map;      /* that these come to, or NULL */
};
/* How many bins beside an edge are looked at. */
inline size_t
cwt_edge_near(const wsi_cwt_job_edge &edge)
{
	return (edge.in > edge.out ? edge.in : edge.out) + 1;
}
/* Numbers of the map that an edge's steps come to (edge_map.cu); 0: it has none, and goes by them.
 * edge, length: as of cwt_edge_rows. */
size_t cwt_edge_map(const wsi_cwt_job_edge &edge);
cudaError_t cwt_edge_make_map(const wsi_cwt_job_edge &edge, unsigned length, double *map,
                              cudaStream_t stream);
/* What is made of the bins, by the map. */
cudaError_t cwt_edge_apply(const cwt_edge_rows &e, ws_type type, const cwt_spectra &spectra,
                           cudaStream_t stream);
/* The steps, between which are inverse transforms of a to b, or of the line onto itself: */
cudaError_t cwt_edge_take(const cwt_edge_rows &e, const cwt_spectra &spectra, cudaStream_t stream);
cudaError_t cwt_edge_begin(const cwt_edge_rows &e, cudaStream_t stream);
cudaError_t cwt_edge_convolve(const cwt_edge_rows &e, cudaStream_t stream);
cudaError_t cwt_edge_lay(const cwt_edge_rows &e, cudaStream_t stream);
cudaError_t cwt_edge_side(const cwt_edge_rows &e, cudaStream_t stream);
cudaError_t cwt_edge_end(const cwt_edge_rows &e, cudaStream_t stream);
cudaError_t cwt_edge_put(const cwt_edge_rows &e, ws_type type, const cwt_spectra &spectra,
                         cudaStream_t stream);

/* ---- Responses and products (response.cu) --------------------------------------------------- */

/* Tables of a class, in the device's memory. */
struct cwt_window {
	int ratio, taps;
	double beta, peak;      /* math/kaiser.h */
	size_t m, reach;
	/* Of its window, if it has taps: */
	double *flat;           /* [reach]: 1 by its transform on m points */
	void *weights;          /* [ratio][taps] */
	/* Of grids that fold: e^{2 pi i k / first.n}, then e^{2 pi i k / second.n}, then
	 * e^{2 pi i k / m} of k < second.n.  Or NULL. */
	two<float> *roots;
	unsigned first, second;
};

struct cwt_windows {
	int count;
	cwt_window window[CWT_SEGMENTS];
};

/* type: of the weights. */
cudaError_t cwt_make_windows(const cwt_windows &windows, ws_type type, cudaStream_t stream);
/* Responses, of the bins of each scale's band, times flat. */
cudaError_t cwt_response(const cwt_batch &batch, ws_type type, void *response, cudaStream_t stream);
/* y[row][m], type: its own and response's; from: the spectra's. */
cudaError_t cwt_product(const cwt_batch &batch, const cwt_spectra &spectra, ws_type from,
                        const void *response, void *y, ws_type type, cudaStream_t stream);

/* In single precision response, product and inverse transform by two passes (fold.cu); where points
 * are outputs, these are stored, else z[row][m] of each segment is made.  responses: of segments
 * that have a table. */
cudaError_t cwt_fold(cwt_batch &batch, const cwt_spectra &spectra, const void *responses, void *z,
                     const cwt_out &out, cudaStream_t stream);
/* References that convolve, in double: taps laid out for a transform of N points; their spectrum
 * times the signal's by N. */
cudaError_t cwt_lay_taps(const double *taps, size_t count, size_t zero, double *y, size_t n,
                         cudaStream_t stream);
cudaError_t cwt_product_taps(const cwt_batch &batch, const cwt_spectra &spectra, ws_type from,
                             const double *response, double *y, cudaStream_t stream);

/* ---- Stores (put.cu, interpolate.cu) ------------------------------------------------------ */

/* Every step-th of z[row][m] from `first` on, in double, to arrays of type `to`; a signal
 * (WS_QUANTITY_SIGNAL) is the real part. */
cudaError_t cwt_put(const cwt_batch &batch, const double *z, unsigned first, unsigned step,
                    ws_type to, const cwt_out &out, cudaStream_t stream);

/* out[t] = e^{2 pi i rotation t / N} sum over j < taps of
 *          z[row][(t / ratio + j - taps / 2 + 1) mod m] weights[t % ratio][j]
 * or, where ratio is 1, z[row][t]. */
cudaError_t cwt_interpolate(const cwt_batch &batch, const void *z, ws_type type, const cwt_out &out,
                            cudaStream_t stream);

/* ---- Tiles (tiles.cu, tiles.cuh) ---------------------------------------------------------- */

/* Frequencies of one grid whose tiles are alike. */
struct cwt_tile_segment {
	int ratio, taps;        /* outputs a point: 1, 2, 4 .. CWT_TILE_RATIO; of the window */
	unsigned m;             /* points of the grid */
	int sub;                /* points of the signal by those of the grid: to CWT_TILE_SUBS */
	unsigned guard, useful; /* points of a tile at either end that are not kept; those kept */
	unsigned tiles;         /* of a channel */
	float by_tiles;         /* 1 by those of a channel */
	unsigned count;         /* of frequencies */
	int window;             /* the least bin of a tile that is kept */
	/* Of the segments before this one: frequencies, blocks of the forward transform, blocks of
	 * outputs. */
	unsigned responses, forward, outputs_before;
	/* How the segment's outputs are dealt to blocks.  A task is one part of a tile's outputs at
	 * one frequency. */
	unsigned deals;         /* of frequencies, of sizes that differ by one at most */
	unsigned per_deal;      /* blocks of a deal */
	unsigned each;          /* tasks of a block */
	unsigned parts;         /* of a tile */
	double deviation;       /* of the widest wavelet, points */
	double middle, steep;   /* of the taper's fall, in deviations from what is kept; 1 / its own
	                         * deviation */
	double beta, peak;      /* math/kaiser.h */
	const cwt_scale *scales;
	const two<double> *z;   /* [channel][m sub] */
	void *spectra;          /* [channel][tile][CWT_TILE] complex numbers of the outputs' type */
	double *taper;          /* [guard sub] */
	void *response;         /* [count][CWT_TILE] of the outputs' type */
	const void *weights;    /* [ratio][taps] of it */
};

constexpr int CWT_TILE_SUBS = 8;
constexpr unsigned CWT_TILE_WARPS = 8;    /* of a block */
/* Blocks that a multiprocessor holds. */
constexpr unsigned
cwt_tile_blocks(ws_type type)
{
	return type == WS_F64 ? 1 : 2;
}
constexpr unsigned CWT_TILE_TOGETHER = 8; /* frequencies of a deal, at most */

/* At every sample: the half of a tile's bins that most responses lie in begins here, in 32 bins. */
constexpr int TILE_HALF_FIRST = -2;

/* Bytes before what segments have: roots and twiddles, of either of two launches. */
constexpr size_t CWT_TILE_HEAD = 4 * CWT_TILE * sizeof(two<double>);

/* Segments of tiles that one launch works on. */
constexpr int CWT_TILE_SEGMENTS = 16;
struct cwt_tile_batch {
	int count;
	unsigned channels;
	/* Blocks of all segments. */
	unsigned output_blocks, forward_blocks;
	two<double> *roots;     /* [CWT_TILE]: e^{2 pi i k / CWT_TILE} */
	void *twiddles;         /* [CWT_TILE] of the outputs' type: lane_exchange()'s */
	cwt_out out;
	cwt_tile_segment segment[CWT_TILE_SEGMENTS];
};

/* Bins first .. first + count - 1, of which bin k has place k mod m; place: that of the first. */
struct cwt_band {
	int first, count, place;
};

/* y[channel][m]: the band's bins, zeros elsewhere. */
cudaError_t cwt_tile_band(const cwt_spectra &spectra, ws_type from, unsigned channels,
                          const cwt_band &band, double *y, unsigned m, cudaStream_t stream);
/* The band's signal z[channel][m], by two passes (signal.cu).  columns: [channel][m]. */
cudaError_t cwt_tile_signal(const cwt_spectra &spectra, ws_type from, unsigned channels,
                            const cwt_band &band, const cwt_split &split, double *columns,
                            double *z, unsigned m, cudaStream_t stream);
/* response and taper of each segment, and roots. */
cudaError_t cwt_tile_tables(const cwt_tile_batch &batch, ws_type type, cudaStream_t stream);
/* spectra of each segment, from z, taper and roots. */
cudaError_t cwt_tile_spectra(const cwt_tile_batch &batch, ws_type type, int multiprocessors,
                             cudaStream_t stream);
/* The outputs. */
cudaError_t cwt_tiles(const cwt_tile_batch &batch, ws_type type, cudaStream_t stream);
cudaError_t cwt_tiles_f32(const cwt_tile_batch &batch, cudaStream_t stream);
cudaError_t cwt_tiles_f64(const cwt_tile_batch &batch, cudaStream_t stream);

/* Shared memory of a block, bytes, at most. */
size_t cwt_tile_shared(ws_type type);
size_t cwt_tile_shared_f32(void);
size_t cwt_tile_shared_f64(void);

#endif
