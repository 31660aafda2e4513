/* maker.h - a plan of frequencies while it is made. */
#ifndef WSI_TRANSFORM_CWT_MAKER_H
#define WSI_TRANSFORM_CWT_MAKER_H

#include "transform/cwt/cwt.h"
#include "transform/cwt/far.h"

typedef struct wsi_cwt_maker {
	wsi_cwt *cwt;
	bool whole;             /* of one part */
	const wsi_cwt_reference *reference;
	wsi_wavelet wavelet;    /* of the options; Morlets of other omega0 are made from it */
	wsi_wavelet_facts facts;
	double low, high;       /* its band */
	double unit;            /* its own scale by that of the axis */
	double reach;           /* samples by its scale in samples, as if it were not cut */
	wsi_far far;
} wsi_cwt_maker;

/* Named references have the padding and the bins of their codes. */
static inline bool
wsi_cwt_is_ours(const wsi_cwt_maker *m)
{
	return m->cwt->o.reference == WS_CWT_REF_NONE;
}

/* What tails that fall slowly may be, by the response's peak. */
static inline double
wsi_cwt_least_tail(ws_type type)
{
	return type == WS_F64 ? 1e-14 : 1e-9;
}

/* Lays out the scales whose `of` is m->cwt, as what is below does too: their padded length, bands
 * and ways. */
ws_status wsi_cwt_lay_out_own(wsi_cwt_maker *m);
/* Frees what that has made, and tables. */
void wsi_cwt_free_own(wsi_cwt *cwt);
void wsi_cwt_empty_own(wsi_cwt *cwt);

/* The padded length, edges, and tables where responses need them. */
ws_status wsi_cwt_make_length(wsi_cwt_maker *m);
/* The bins below 0 and beyond half the rate that spectra have, for bands that begin or end a little
 * further. */
void wsi_cwt_mirror_bins(wsi_cwt *cwt);

/* Lays all scales out, in one part or in two. */
ws_status wsi_cwt_lay_out_all(wsi_cwt_maker *m);

#endif
