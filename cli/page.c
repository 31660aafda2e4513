/* page.c - --report FILE.html: what a command found on one page that needs no other file. */
#include "page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/new.h"
#include "base/newfile.h"
#include "base/target.h"
#include "html.h"
#include "io/result/result.h"
#include "io/write/outfile.h"
#include "json.h"
#include "message.h"
#include "sheet.h"
#include "values.h"

ws_status
cli_page_check(const cli_args *args)
{
	struct stat st;
	const char *path = args->report, *dot = path ? strrchr(path, '.') : NULL;
	if (!path)
		return WS_OK;
	if (!dot || strcasecmp(dot, ".html") != 0)
		return WSI_FAIL(WS_E_ARG, "--report %s: a report is a page; end its name in .html",
		                path);
	if (wsi_target_stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return WSI_FAIL(WS_E_IO, "%s: is a folder or a device, not a file; give a file "
		                "name", path);
	if (!args->overwrite && lstat(path, &st) == 0)
		return WSI_FAIL(WS_E_EXISTS, "%s: exists already; add --overwrite or choose "
		                "another name", path);
	return wsi_folder_check(path);
}

/* ---- How to cite --------------------------------------------------------------------------- */

#define HUANG "N. E. Huang et al. (1998), The empirical mode decomposition and the Hilbert " \
	"spectrum for nonlinear and non-stationary time series analysis, Proc. R. Soc. A 454, " \
	"903–995."
static const struct { const char *transform, *text; } papers[] = {
	{ "emd", HUANG }, { "hht", HUANG },
	{ "eemd", "Z. Wu and N. E. Huang (2009), Ensemble empirical mode decomposition: a "
	  "noise-assisted data analysis method, Adv. Adapt. Data Anal. 1, 1–41." },
	{ "ceemdan", "M. E. Torres et al. (2011), A complete ensemble empirical mode decomposition "
	  "with adaptive noise, ICASSP, 4144–4147." },
	{ "iceemdan", "M. A. Colominas, G. Schlotthauer and M. E. Torres (2014), Improved complete "
	  "ensemble EMD: a suitable tool for biomedical signal processing, Biomed. Signal Process. "
	  "Control 14, 19–29." },
	{ "memd", "N. Rehman and D. P. Mandic (2010), Multivariate empirical mode decomposition, "
	  "Proc. R. Soc. A 466, 1291–1302." },
	{ "cwt", "C. Torrence and G. P. Compo (1998), A practical guide to wavelet analysis, Bull. "
	  "Am. Meteorol. Soc. 79, 61–78." },
	{ "superlets", "V. V. Moca et al. (2021), Time-frequency super-resolution with superlets, "
	  "Nat. Commun. 12, 337." },
	{ "coherence", "C. Torrence and P. J. Webster (1999), Interdecadal changes in the "
	  "ENSO-monsoon system, J. Clim. 12, 2679–2690." },
};

static void
put_citation(const cli_page *r, FILE *out)
{
	fprintf(out, "<h2>How to cite</h2>\n<p>wavesift %s, command <code>%s</code>.", ws_version(),
	        r->args->command.name);
	for (size_t i = 0; i < sizeof papers / sizeof *papers; i++)
		if (strcmp(papers[i].transform, r->args->command.name) == 0)
			fprintf(out, " The method: %s", papers[i].text);
	fputs("</p>\n<p>The command:</p>\n<pre>", out);
	for (char **word = r->args->command_line; *word; word++) {
		fputs(word == r->args->command_line ? "" : " ", out);
		cli_html_text(out, word == r->args->command_line ? wsi_base_name(*word) : *word);
	}
	fputs("</pre>\n", out);
}

/* ---- The page ------------------------------------------------------------------------------ */

/* Draws figure i into the page. */
static ws_status
put_figure(const cli_page *r, int i, FILE *out)
{
	char *svg = NULL;
	size_t length = 0;
	wsi_sheet sheet;
	WSI_TRY(cli_sheet_of(r->args, CLI_PAGE_SHEET, &sheet));
	sheet.into = open_memstream(&svg, &length);
	WSI_HAVE(sheet.into, "%s: not enough memory for a figure", r->args->report);
	ws_status status = r->draw(r->user, i, &sheet);
	if ((fclose(sheet.into) != 0 || !svg) && status == WS_OK)
		status = WSI_FAIL(WS_E_NOMEM, "%s: not enough memory for a figure",
		                  r->args->report);
	if (status == WS_OK) {
		fputs("<figure>\n", out);
		cli_html_picture(out, svg, length, i);
		fputs("</figure>\n", out);
	}
	free(svg);
	return status;
}

static void
put_events(const wsi_input *in, FILE *out)
{
	json_t *list = json_array();
	for (size_t i = 0; i < in->n_events; i++) {
		const wsi_event *e = &in->events[i];
		json_t *o = json_object();
		if (in->epoched)
			json_object_set_new(o, "epoch", json_integer((json_int_t)e->epoch));
		json_object_set_new(o, in->fs_known ? "time (s)" : "sample",
		                    cli_json_real(e->time));
		json_object_set_new(o, in->fs_known ? "duration (s)" : "duration",
		                    cli_json_real(e->duration));
		json_object_set_new(o, "label", cli_json_text(e->label));
		json_array_append_new(list, o);
	}
	if (json_array_size(list) > 0) {
		fputs("<h2>Events</h2>\n", out);
		cli_html_value(out, list);
	}
	json_decref(list);
}

static ws_status
put_page(const cli_page *r, FILE *out)
{
	json_t *provenance = json_incref(json_object_get(r->root, "provenance"));
	if (provenance)
		json_object_del(r->root, "provenance");
	cli_html_begin(out, r->title);
	ws_status status = WS_OK;
	for (int i = 0; i < r->figures && status == WS_OK; i++)
		status = put_figure(r, i, out);
	if (r->no_figure && *r->no_figure) {
		fputs("<p>No figure: ", out);
		cli_html_text(out, r->no_figure);
		fputs("</p>\n", out);
	}
	if (json_object_size(r->root) > 0) {
		fputs("<h2>Summary</h2>\n", out);
		cli_html_value(out, r->root);
	}
	const char *notes = cli_notes_told();
	if (*notes) {
		fputs("<h2>Warnings</h2>\n<pre>", out);
		for (const char *line = notes; *line; line += strcspn(line, "\n") + 1) {
			char text[4096];
			snprintf(text, sizeof text, "%.*s", (int)strcspn(line, "\n"), line);
			cli_html_text(out, text);
			putc('\n', out);
		}
		fputs("</pre>\n", out);
	}
	if (r->in)
		put_events(r->in, out);
	if (provenance) {
		fputs("<h2>Options and provenance</h2>\n", out);
		cli_html_value(out, provenance);
	}
	json_decref(provenance);
	put_citation(r, out);
	cli_html_end(out);
	return status;
}

ws_status
cli_page_put(const char *path, bool overwrite, ws_status (*put)(const void *page, FILE *out),
            const void *page)
{
	wsi_newfile file = { .fd = -1 }, *files = &file;
	size_t failed;
	errno = wsi_newfile_open(&file, path, overwrite);
	if (errno)
		return wsi_write_fail(path);
	FILE *out = wsi_newfile_stream(&file);
	ws_status status = out ? put(page, out) : wsi_write_fail(path);
	bool broken = out && ferror(out);
	broken |= out && fclose(out) != 0;
	if (status == WS_OK && broken)
		status = wsi_write_fail(path);
	if (status == WS_OK && (errno = wsi_newfile_commit(&files, 1, &failed)) != 0)
		status = errno == EEXIST ? WSI_FAIL(WS_E_EXISTS, "%s: was created meanwhile by "
		         "another program and is kept", path) : wsi_write_fail(path);
	wsi_newfile_close(&file);
	return status;
}

static ws_status
put_report(const void *page, FILE *out)
{
	return put_page(page, out);
}

int
cli_page_write(const cli_page *r)
{
	const cli_args *a = r->args;
	ws_status status = r->root ? WS_OK
	                   : WSI_FAIL(WS_E_NOMEM, "%s: not enough memory", a->report);
	if (status == WS_OK)
		status = cli_page_put(a->report, a->overwrite, put_report, r);
	json_decref(r->root);
	if (status == WS_OK && !a->quiet && !a->json)
		cli_print_file("report", a->report);
	return cli_report_output(status);
}
