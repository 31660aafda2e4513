/* html.c - pages of HTML that need no other file: text, values of JSON as tables, pictures. */
#include "html.h"

#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "plot/text.h"

#define MOST_ROWS    1000  /* of a table; of more it tells how many there are */
#define MOST_NUMBERS 64    /* of a list */

void
cli_html_text(FILE *out, const char *text)
{
	const size_t room = 2 * strlen(text) + 1;
	char *clean = malloc(room);
	if (clean)
		wsi_text_clean(clean, room, text);
	for (const char *c = clean; c && *c; c++)
		switch (*c) {
		case '<': fputs("&lt;", out); break;
		case '>': fputs("&gt;", out); break;
		case '&': fputs("&amp;", out); break;
		case '"': fputs("&quot;", out); break;
		default:  putc(*c, out);
		}
	free(clean);
}

void
cli_html_begin(FILE *out, const char *title)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>",
	      out);
	cli_html_text(out, title);
	fputs("</title>\n<style>\n"
	      "body{font:15px/1.5 system-ui,sans-serif;color:#1F2328;max-width:75rem;margin:2rem "
	      "auto;padding:0 1.5rem}\n"
	      "h1{font-size:1.6rem}h2{font-size:1.15rem;margin-top:2.2rem;border-bottom:1px solid "
	      "#E9ECEF}\n"
	      "table{border-collapse:collapse;margin:.3rem 0;font-size:.88rem;display:block;"
	      "overflow-x:auto}\n"
	      "th,td{text-align:left;vertical-align:top;padding:.15rem .9rem .15rem 0;"
	      "border-bottom:1px solid #E9ECEF;overflow-wrap:anywhere}\n"
	      "td td{overflow-wrap:normal}\n"
	      "th{color:#6B737C;font-weight:600;white-space:nowrap}\n"
	      "svg{max-width:100%;height:auto}\n"
	      "pre{background:#F6F8FA;padding:.7rem;white-space:pre-wrap;overflow-wrap:anywhere}\n"
	      "</style>\n</head>\n<body>\n<h1>", out);
	cli_html_text(out, title);
	fputs("</h1>\n", out);
}

void
cli_html_end(FILE *out)
{
	fputs("</body>\n</html>\n", out);
}

/* ---- Values -------------------------------------------------------------------------------- */

static void
put_scalar(FILE *out, const json_t *v)
{
	char number[40];
	switch (json_typeof(v)) {
	case JSON_STRING:
		cli_html_text(out, json_string_value(v));
		return;
	case JSON_INTEGER:
		fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
		return;
	case JSON_REAL:
		wsi_snprintf(number, sizeof number, "%.5g", json_real_value(v));
		fputs(number, out);
		return;
	default:
		fputs(json_is_true(v) ? "yes" : json_is_false(v) ? "no" : "–", out);
	}
}

/* "mean_frequency" as "mean frequency" */
static void
put_key(FILE *out, const char *key)
{
	char text[200];
	snprintf(text, sizeof text, "%s", key);
	for (char *c = text; *c; c++)
		if (*c == '_')
			*c = ' ';
	cli_html_text(out, text);
}

/* In a table below each other, so that lists beside it read along. */
static void
put_list(FILE *out, const json_t *v, const char *between)
{
	const size_t n = json_array_size(v);
	for (size_t i = 0; i < n && i < MOST_NUMBERS; i++) {
		fputs(i ? between : "", out);
		cli_html_value(out, json_array_get(v, i));
	}
	if (n > MOST_NUMBERS)
		fprintf(out, " and %zu more", n - MOST_NUMBERS);
	if (n == 0)
		fputs("none", out);
}

static void
put_object(FILE *out, const json_t *v)
{
	const char *key;
	json_t *member;
	fputs("<table>\n", out);
	json_object_foreach((json_t *)v, key, member) {
		fputs("<tr><th>", out);
		put_key(out, key);
		fputs("</th><td>", out);
		cli_html_value(out, member);
		fputs("</td></tr>\n", out);
	}
	fputs("</table>\n", out);
}

/* The columns are the members of the first. */
static void
put_table(FILE *out, const json_t *v)
{
	const char *key;
	json_t *member, *first = json_array_get(v, 0);
	const size_t n = json_array_size(v);
	fputs("<table>\n<tr>", out);
	json_object_foreach(first, key, member) {
		fputs("<th>", out);
		put_key(out, key);
		fputs("</th>", out);
	}
	fputs("</tr>\n", out);
	for (size_t i = 0; i < n && i < MOST_ROWS; i++) {
		fputs("<tr>", out);
		json_object_foreach(first, key, member) {
			const json_t *cell = json_object_get(json_array_get(v, i), key);
			fputs("<td>", out);
			if (json_is_array(cell) && !json_is_object(json_array_get(cell, 0)))
				put_list(out, cell, "<br>");
			else if (cell)
				cli_html_value(out, cell);
			fputs("</td>", out);
		}
		fputs("</tr>\n", out);
	}
	fputs("</table>\n", out);
	if (n > MOST_ROWS)
		fprintf(out, "<p>and %zu more</p>\n", n - MOST_ROWS);
}

void
cli_html_value(FILE *out, const json_t *v)
{
	if (json_is_object(v))
		put_object(out, v);
	else if (json_is_array(v) && json_is_object(json_array_get(v, 0)))
		put_table(out, v);
	else if (json_is_array(v))
		put_list(out, v, ", ");
	else
		put_scalar(out, v);
}

/* ---- Pictures ------------------------------------------------------------------------------ */

/* Names within the picture begin with its number. */
void
cli_html_picture(FILE *out, const char *svg, size_t length, int number)
{
	static const char *const before[] = { " id=\"", "href=\"#", "url(#" };
	const char *end = svg + length, *at = strstr(svg, "<svg");
	while (at && at < end) {
		size_t n = 0;
		for (int i = 0; i < 3 && n == 0; i++)
			if (strncmp(at, before[i], strlen(before[i])) == 0)
				n = strlen(before[i]);
		fwrite(at, 1, n ? n : 1, out);
		if (n)
			fprintf(out, "f%d-", number);
		at += n ? n : 1;
	}
}
