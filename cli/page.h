/* page.h - --report FILE.html: what a command found on one page that needs no other file. */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "args.h"
#include "io/read/input.h"
#include "plot/sheet.h"

/* The sheet of a figure within a page; no such file is made. */
#define CLI_PAGE_SHEET "report.svg"

/* What a page has. */
typedef struct cli_page {
	const cli_args *args;
	const char *title;
	json_t *root; /* of --json; its member "provenance" has a heading of its own */
	const wsi_input *in;         /* of which events are told; or NULL */
	int figures;
	/* Draws figure i. */
	ws_status (*draw)(void *user, int i, wsi_sheet *sheet);
	void *user;
	const char *no_figure;       /* why there is none; or "" */
} cli_page;

/* What forbids --report, if it is given: WS_E_ARG, WS_E_EXISTS, WS_E_IO. */
ws_status cli_page_check(const cli_args *args);

/* Writes the page, frees root, and says so unless --quiet or --json; the exit status. */
int cli_page_write(const cli_page *report);

/* A page that put() writes, whole or not at all: WS_E_EXISTS, WS_E_IO, WS_E_NOSPACE, and what put()
 * returns. */
ws_status cli_page_put(const char *path, bool overwrite,
                       ws_status (*put)(const void *page, FILE *out), const void *page);

#endif
