/* emd_rows.h - a finished channel of a decomposition, as tests look at it. */
#ifndef EMD_ROWS_H
#define EMD_ROWS_H

#include "wavesift/wavesift.h"

typedef struct emd_rows {
	size_t channel;
	int modes;
	const void *x;           /* [time] */
	const void *mode_rows;   /* [modes][time] */
	const void *residue;     /* [time] */
	const int32_t *sifts;    /* [modes] */
	int unfinished;
} emd_rows;

static inline emd_rows
emd_rows_of(const ws_channel_result *of)
{
	const ws_slab *s = of->slabs;
	return (emd_rows){ .channel = of->channel, .modes = (int)s[WS_EMD_MODES].extent[0],
		.x = s[WS_EMD_SIGNAL].data, .mode_rows = s[WS_EMD_MODES].data,
		.residue = s[WS_EMD_RESIDUE].data, .sifts = s[WS_EMD_SIFTS].data,
		.unfinished = *(const int32_t *)s[WS_EMD_UNFINISHED].data };
}

#endif
