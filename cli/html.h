/* html.h - pages of HTML that need no other file: text, values of JSON as tables, pictures. */
#ifndef CLI_HTML_H
#define CLI_HTML_H

#include <jansson.h>
#include <stdio.h>

/* Head and end of a page. */
void cli_html_begin(FILE *out, const char *title);
void cli_html_end(FILE *out);

/* Any text, cleaned, between tags or within quotes. */
void cli_html_text(FILE *out, const char *text);

/* A value: objects are tables of two columns, lists of objects tables with a column for each
 * member. */
void cli_html_value(FILE *out, const json_t *value);

/* An SVG as a file has it, within the page as its number-th: what it calls by names keeps them for
 * itself. */
void cli_html_picture(FILE *out, const char *svg, size_t length, int number);

#endif
