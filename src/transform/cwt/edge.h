/* edge.h - plans of spectra beside an edge at which responses are cut (cpu/cwt/cwt_edge.h). */
#ifndef WSI_TRANSFORM_CWT_EDGE_H
#define WSI_TRANSFORM_CWT_EDGE_H

#include "cpu/cwt/cwt_edge.h"
#include "base/progress.h"
#include "ops/cwt_job.h"
#include "wavesift/cwt.h"

/* f32: signals of more samples have edges for the smallest of steps at 0, too. */
#define WSI_EDGE_SLOW ((size_t)3000)

/* Samples of padding that n samples need for wavelets of this reach. */
double wsi_edge_gap(size_t n, ws_padding padding, ws_type type, double reach);

/* Lays one out, its edges unset and without tables.  *edge is NULL where the padded length has too
 * few bins for it.  WS_E_NOMEM. */
ws_status wsi_edge_lay_out(wsi_cwt_edge **edge, const wsi_ops *wide, size_t n, size_t length,
                           ws_padding padding, ws_type type, double reach);
/* Makes the tables, where they are not there; WS_E_NOMEM, WS_E_CANCELLED, and then there are none.
 * progress: or NULL. */
ws_status wsi_edge_fill(wsi_cwt_edge *edge, wsi_progress *progress);
/* How many doubles they are, and where each begins. */
size_t wsi_edge_places(const wsi_cwt_edge *edge, size_t at[WSI_EDGE_TABLES]);
/* Bytes of them, and *making of what they are made in. */
size_t wsi_edge_tables(const wsi_cwt_edge *edge, size_t *making);
/* Frees them. */
void wsi_edge_empty(wsi_cwt_edge *edge);
void wsi_edge_destroy(wsi_cwt_edge *edge);

#endif
