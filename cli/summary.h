/* summary.h - what a transform found, on one screen or as JSON. */
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include "family.h"

/* state: the family's. */
void cli_summary_print(const cli_outcome *o, const cli_family *family, const void *state,
                       const wsi_provenance *p);
int cli_summary_print_json(const cli_outcome *o, const cli_family *family, const void *state,
                           const wsi_provenance *p);

/* The same for --report. */
json_t *cli_summary_json(const cli_outcome *o, const cli_family *family, const void *state,
                         const wsi_provenance *p);

#endif
