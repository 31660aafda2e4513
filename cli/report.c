/* report.c - --report: figures of a run for its page; the index of many pages. */
#include "report.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/status.h"
#include "batch_outputs.h"
#include "html.h"
#include "message.h"

/* ---- Figures of a run ---------------------------------------------------------------------- */

/* The one that is asked for, or the transform's own; then others that it has, where they can be
 * drawn. */
ws_status
cli_report_open(cli_report_run *r, const cli_outcome *o)
{
	static const int others[] = { FIGURE_SPECTRA, FIGURE_MARGINAL };
	const unsigned ids[] = { CMD_EMD, CMD_HHT };
	int kinds[CLI_REPORT_FIGURES] = { o->args->figure }, n = 1;
	if (!o->args->report)
		return WS_OK;
	for (int i = 0; i < 2 && !o->args->figure; i++)
		if (o->args->command.id & ids[i])
			kinds[n++] = others[i];
	for (int i = 0; i < n; i++) {
		cli_args *args = &r->args[r->n];
		*args = *o->args;
		args->plot = args->report;
		args->figure = kinds[i];
		/* Meant for the first one. */
		if (i > 0)
			args->clim = args->smooth = args->db = NULL;
		r->outcomes[r->n] = *o;
		r->outcomes[r->n].args = args;
		cli_args sheet = *args;
		sheet.plot = CLI_PAGE_SHEET;
		cli_outcome rehearsed = r->outcomes[r->n];
		rehearsed.args = &sheet;
		ws_status status = cli_figure_rehearse(&rehearsed);
		if (status == WS_OK)
			status = cli_figure_open(&r->figures[r->n], &r->outcomes[r->n]);
		if (status == WS_OK)
			r->n++;
		else if (status != WS_E_ARG)
			return status;
		else if (i == 0)
			snprintf(r->why, sizeof r->why, "%s", ws_error_detail());
	}
	return WS_OK;
}

ws_status
cli_report_put(cli_report_run *r, const ws_channel_result *result)
{
	for (int i = 0; i < r->n; i++)
		WSI_TRY(cli_figure_put(&r->figures[i], &r->outcomes[i], result));
	return WS_OK;
}

bool
cli_report_wants(const cli_report_run *r, size_t channel)
{
	for (int i = 0; i < r->n; i++)
		if (cli_figure_wants(&r->figures[i], channel))
			return true;
	return false;
}

ws_status
cli_report_draw(void *user, int i, wsi_sheet *sheet)
{
	cli_report_run *r = user;
	return cli_figure_draw(&r->figures[i], &r->outcomes[i], r->title, r->options, sheet);
}

void
cli_report_close(cli_report_run *r)
{
	for (int i = 0; i < r->n; i++)
		cli_figure_close(&r->figures[i]);
	r->n = 0;
}

/* ---- Of many recordings -------------------------------------------------------------------- */

/* A path as an address of a page. */
static void
put_address(FILE *out, const char *path)
{
	for (const unsigned char *c = (const unsigned char *)path; *c; c++)
		if ((*c >= '0' && *c <= '9') || (*c >= 'A' && *c <= 'Z') || (*c >= 'a' && *c <= 'z')
		    || strchr("/._-", *c))
			putc(*c, out);
		else
			fprintf(out, "%%%02X", *c);
}

typedef struct pages {
	const cli_args *args;
	const cli_inputs *inputs;
	size_t folder;           /* characters of the folder and its slash */
} pages;

static ws_status
put_index(const void *page, FILE *out)
{
	const pages *p = page;
	char title[200];
	snprintf(title, sizeof title, "%s of %zu recordings", p->args->command.transform->title,
	         p->inputs->n);
	cli_html_begin(out, title);
	fputs("<table>\n<tr><th>recording</th><th>report</th></tr>\n", out);
	for (size_t i = 0; i < p->inputs->n; i++) {
		const cli_recording *r = &p->inputs->all[i];
		struct stat st;
		char *path;
		WSI_TRY(cli_made_path(&path, MADE_REPORT, r, p->args));
		fputs("<tr><td>", out);
		cli_html_text(out, r->path);
		fputs("</td><td>", out);
		if (stat(path, &st) == 0) {
			fputs("<a href=\"", out);
			put_address(out, path + p->folder);
			fputs("\">", out);
			cli_html_text(out, r->label);
			fputs("</a>", out);
		} else {
			fputs("none", out);
		}
		fputs("</td></tr>\n", out);
		free(path);
	}
	fputs("</table>\n", out);
	cli_html_end(out);
	return WS_OK;
}

int
cli_report_index(const cli_args *args, const cli_inputs *inputs)
{
	char *path;
	static char index_label[] = "index";
	const cli_recording index = { .label = index_label };
	ws_status status = cli_made_path(&path, MADE_REPORT, &index, args);
	const pages p = { args, inputs, status == WS_OK ? strlen(path) - strlen("index.html") : 0 };
	if (status == WS_OK)
		status = cli_page_put(path, true, put_index, &p);
	free(path);
	return cli_report_output(status);
}
