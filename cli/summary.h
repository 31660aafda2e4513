/* summary.h - what a decomposition found, on one screen or as JSON. */
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include <stdint.h>

#include "args.h"
#include "input.h"
#include "provenance.h"
#include "wavesift/wavesift.h"

typedef struct cli_summary {
	size_t signals, max_modes;       /* sizes of the arrays below */
	size_t done;                     /* signals added so far */
	int *modes;                      /* [signal] */
	double *frequency, *share;       /* [signal][mode] */
	int32_t *sifts;                  /* [signal][mode] */
	double *residue_share;           /* [signal] */
	int64_t unfinished;              /* modes cut off by --max-sifts */
} cli_summary;

/* What the summary tells beyond the modes. */
typedef struct cli_outcome {
	const ws_emd_opts *emd;
	const ws_ctx *ctx;
	const ws_run *run;
	const char *output, *plot;       /* plot NULL: none drawn */
	double seconds, sift_seconds;    /* the whole command; the decomposition alone */
} cli_outcome;

ws_status cli_summary_open(cli_summary *s, size_t signals, size_t max_modes);
void cli_summary_close(cli_summary *s);
void cli_summary_add(cli_summary *s, const ws_channel_result *r, const wsi_input *in,
                     ws_type type);

void cli_summary_print(const cli_summary *s, const cli_args *args, const wsi_input *in,
                       const cli_outcome *outcome);
int cli_summary_print_json(const cli_summary *s, const cli_args *args, const wsi_input *in,
                           const cli_outcome *outcome, const cli_facts *facts);

#endif
