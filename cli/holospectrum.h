/* holospectrum.h - the picture of a holospectrum: energy over the frequency of a wave and that of
 * its modulation, a panel for each channel. */
#ifndef CLI_HOLOSPECTRUM_H
#define CLI_HOLOSPECTRUM_H

#include "family.h"

typedef struct cli_holospectrum {
	const char *path;
	size_t n, *channels;      /* among the selected, rising; borrowed */
	size_t bins, modulations;
	double *values;           /* [n][bins][modulations] */
} cli_holospectrum;

/* channels: [n] of the selected, kept until close. */
ws_status cli_holospectrum_open(cli_holospectrum *f, const cli_outcome *o, size_t *channels,
                                size_t n);
void cli_holospectrum_put(cli_holospectrum *f, const ws_channel_result *r);
ws_status cli_holospectrum_draw(cli_holospectrum *f, const cli_outcome *o,
                                const wsi_provenance *p);
/* A closed or zeroed one is fine. */
void cli_holospectrum_close(cli_holospectrum *f);

#endif
