/* report.h - --report: figures of a run for its page; the index of many pages. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "batch_inputs.h"
#include "figure.h"
#include "page.h"

enum { CLI_REPORT_FIGURES = 3 };

/* Those of a page, kept while the transform runs. */
typedef struct cli_report_run {
	int n;
	cli_args args[CLI_REPORT_FIGURES];
	cli_outcome outcomes[CLI_REPORT_FIGURES];
	cli_figure figures[CLI_REPORT_FIGURES];
	const char *title, *options; /* of the result, for drawing */
	char why[512];               /* the first is none */
} cli_report_run;

/* A run without --report has no figures.  WS_E_NOMEM, WS_E_IO, WS_E_NOSPACE. */
ws_status cli_report_open(cli_report_run *r, const cli_outcome *o);
ws_status cli_report_put(cli_report_run *r, const ws_channel_result *result);
/* Is a channel, numbered through all epochs, in one of them? */
bool cli_report_wants(const cli_report_run *r, size_t channel);
/* A cli_page's draw; user is the cli_report_run. */
ws_status cli_report_draw(void *user, int i, wsi_sheet *sheet);
/* A closed or zeroed one is fine. */
void cli_report_close(cli_report_run *r);

/* A page index.html beside the reports, with a link to each that is there; the exit status. */
int cli_report_index(const cli_args *args, const cli_inputs *inputs);

#endif
