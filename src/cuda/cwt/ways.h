/*
 * ways.h - how each frequency is computed on the device: chosen from the job alone.
 *
 * A class is all the frequencies that go the same way with the same numbers.
 */
#ifndef WSI_CUDA_CWT_WAYS_H
#define WSI_CUDA_CWT_WAYS_H

#include <stdint.h>

#include <vector>

#include "cuda/cwt/split.h"
#include "ops/cwt_job.h"

/* What a way is called by; the numbers are those of the table (ways.cu). */
enum cwt_way { CWT_TILES, CWT_INTERPOLATED, CWT_INVERSE, CWT_ANY, CWT_TAPS, CWT_WAYS };

constexpr size_t CWT_TILE = 1024; /* points */
constexpr int CWT_TILE_RATIO = 32;

struct cwt_class {
	cwt_way way;
	int ratio, taps;        /* outputs of a point of the inverse transform; of the window */
	double over;            /* points of the grid by bins of the band */
	size_t m;               /* points of the inverse transform */
	ws_type type;           /* that it works in */
	size_t band;            /* bins of the widest band; tiles: of all together */
	/* Tiles: */
	int64_t first;          /* of the band's bins */
	size_t guard;           /* points at either end of a tile that are not kept */
	double deviation;       /* the longest of a wavelet, in points */
	size_t shares;          /* the class whose signal this one has too; itself: its own */
	bool aside;             /* its signal and its tiles are made beside the others' */
	bool by_passes;         /* is its signal made by two passes (signal.cu): these */
	cwt_split passes;
	int window;             /* the least bin of a tile that is kept */
	/* Grids: is each made by two passes (fold.cu): these; are responses read from memory. */
	bool folds, table;
	cwt_split fold;
	std::vector<uint32_t> members; /* frequencies */
};

/* Tiles of the type: where the taper's fall has its middle, in deviations of the wavelet. */
double cwt_tile_middle(ws_type type);

const char *cwt_way_name(cwt_way way);

/* slow_double: the device is slow in double.  Throws std::bad_alloc. */
std::vector<cwt_class> cwt_choose(const wsi_cwt_job &job, bool slow_double);

#endif
