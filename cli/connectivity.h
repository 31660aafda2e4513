/* connectivity.h - the picture of modes between channels: matrices of phase locking and of the
 * correlation of amplitudes. */
#ifndef CLI_CONNECTIVITY_H
#define CLI_CONNECTIVITY_H

#include "family.h"

typedef struct cli_connectivity {
	const char *path;
	size_t n, *channels;      /* among the selected, rising; borrowed */
	size_t most;              /* modes */
	size_t modes;             /* of the channel with the most */
	double *values[2];        /* [mode][n][n] phase locking, amplitude correlation */
	double *frequency;        /* [mode] sum over the channels that have it, Hz */
	size_t *having;           /* [mode] how many these are */
} cli_connectivity;

/* channels: [n] of the selected, kept until close. */
ws_status cli_connectivity_open(cli_connectivity *f, const cli_outcome *o, size_t *channels,
                                size_t n);
ws_status cli_connectivity_put(cli_connectivity *f, const ws_channel_result *r);
ws_status cli_connectivity_draw(cli_connectivity *f, const cli_outcome *o,
                                const wsi_provenance *p);
/* A closed or zeroed one is fine. */
void cli_connectivity_close(cli_connectivity *f);

#endif
