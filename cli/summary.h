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
	ws_mode_figures *figures;        /* [signal][max_modes + 1]; the residue's follow its modes' */
	int32_t *sifts;                  /* [signal][max_modes + 1] */
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
/* Measures the modes; all that tells their figures takes them from here. */
ws_status cli_summary_add(cli_summary *s, const ws_channel_result *r, const wsi_input *in,
                          ws_type type);
const ws_mode_figures *cli_summary_figures(const cli_summary *s, size_t signal);

void cli_summary_print(const cli_summary *s, const cli_args *args, const wsi_input *in,
                       const cli_outcome *outcome);
int cli_summary_print_json(const cli_summary *s, const cli_args *args, const wsi_input *in,
                           const cli_outcome *outcome, const cli_facts *facts);

#endif
