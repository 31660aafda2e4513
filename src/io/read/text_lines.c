/* text_lines.c - a table's lines and their fields. */
#include "io/read/text_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A line may take this part of memory: for each of its bytes there may be a field. */
#define LINE_SHARE 16

static bool
is_text(const char *line, size_t n)
{
	for (size_t i = 0; i < n; ++i)
		if ((unsigned char)line[i] < ' ' && !(line[i] >= '\t' && line[i] <= '\r'))
			return false;
	return true;
}

/* More of the file; held stays 0 at its end. */
static ws_status
fill_block(wsi_recording *rec)
{
	text_state *s = rec->state;
	ssize_t n;
	do
		n = read(s->fd, s->block, TEXT_BLOCK);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return WSI_FAIL(WS_E_IO, "%s: cannot be read after line %zu: %s", rec->path,
		                s->line_number, strerror(errno));
	s->taken = 0;
	s->held = (size_t)n;
	wsi_sha256_add(&s->hash, s->block, s->held);
	return WS_OK;
}

/* So many bytes behind the n of the line. */
static ws_status
grow_line(wsi_recording *rec, size_t n, size_t more)
{
	text_state *s = rec->state;
	const size_t share = s->most / LINE_SHARE;
	const size_t least = share > TEXT_BLOCK ? share : TEXT_BLOCK;
	if (n + more > least)
		return WSI_FAIL(WS_E_NOMEM, "%s: line %zu has more than %zu bytes, for which "
		                "`memory` is too small; is it a table?", rec->path,
		                s->line_number + 1, least);
	if (n + more < s->line_room)
		return WS_OK;
	const size_t room = 2 * (n + more) + 256;
	char *grown = realloc(s->line, room);
	WSI_HAVE(grown, "%s: no memory for line %zu", rec->path, s->line_number + 1);
	s->line = grown;
	s->line_room = room;
	return WS_OK;
}

/* The next line with its end into s->line, from byte *n on, NUL behind it; *n stays at the end of
 * the file. */
static ws_status
read_line(wsi_recording *rec, size_t *n)
{
	text_state *s = rec->state;
	bool whole = false;
	while (!whole) {
		if (s->taken == s->held)
			WSI_TRY(fill_block(rec));
		const char *from = s->block + s->taken;
		const size_t left = s->held - s->taken;
		const char *end = left ? memchr(from, '\n', left) : NULL;
		const size_t more = end ? (size_t)(end - from) + 1 : left;
		WSI_TRY(grow_line(rec, *n, more));
		memcpy(s->line + *n, from, more);
		*n += more;
		s->taken += more;
		whole = end || left == 0;
	}
	s->line[*n] = '\0';
	return WS_OK;
}

static ws_status
refuse_bytes(const wsi_recording *rec, size_t n)
{
	const text_state *s = rec->state;
	if (s->piped && !is_text(s->line, n))
		return WSI_FAIL(WS_E_FORMAT, "%s: standard input is no table at line %zu; only CSV "
		                "and TSV can be read from there, name the file of other formats",
		                rec->path, s->line_number);
	if (memchr(s->line, '\0', n))
		return WSI_FAIL(WS_E_FORMAT, "%s: not a known format (" WSI_FORMATS "): it starts "
		                "as text, but line %zu has a NUL byte; save tables as UTF-8",
		                rec->path, s->line_number);
	return WSI_FAIL(WS_E_FORMAT, "%s: line %zu has a carriage return within it; save the table "
	                "with line ends LF or CRLF", rec->path, s->line_number);
}

ws_status
text_join_line(wsi_recording *rec)
{
	text_state *s = rec->state;
	const size_t before = strlen(s->line);
	size_t n = before + 1;
	s->line[before] = ' ';
	WSI_TRY(read_line(rec, &n));
	s->line_number += n > before + 1;
	s->line[before + 1 + strcspn(s->line + before + 1, "\r\n")] = '\0';
	return WS_OK;
}

ws_status
text_next_line(wsi_recording *rec, text_line_kind *kind)
{
	text_state *s = rec->state;
	size_t n = 0;
	WSI_TRY(read_line(rec, &n));
	*kind = TEXT_END;
	if (n == 0)
		return WS_OK;
	++s->line_number;
	if (s->line_number == 1 && strncmp(s->line, "\xef\xbb\xbf", 3) == 0) {
		memmove(s->line, s->line + 3, n - 2);
		n -= 3;
	}
	const size_t all = n;
	while (n > 0 && (s->line[n - 1] == '\n' || s->line[n - 1] == '\r'))
		--n;
	if ((s->piped && !is_text(s->line, all)) || memchr(s->line, '\0', n) ||
	    memchr(s->line, '\r', n))
		return refuse_bytes(rec, n);
	s->line[n] = '\0';
	s->line_start = 0;
	const char *c = s->line;
	while (*c == ' ' || *c == '\t' || *c == '\v' || *c == '\f')
		++c;
	s->line_start = (size_t)(c - s->line);
	*kind = *c == '\0' ? TEXT_BLANK
	        : *c == '%' || (*c == '#' && !text_is_error(c)) ? TEXT_COMMENT
	        : TEXT_ROW;
	return WS_OK;
}

/* ---- Fields --------------------------------------------------------------- */

static inline bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

/* Takes the quotes off a field at its opening one, in place; "" inside stands
 * for one.  Returns where the line goes on. */
static char *
unquote(text_state *s, char *field)
{
	char *from = field + 1, *to = field;
	while (*from != '\0' && (*from != '"' || from[1] == '"')) {
		from += *from == '"';
		*to++ = *from++;
	}
	s->open |= *from == '\0';
	s->torn |= s->open;
	char *rest = from + (*from == '"');
	*to = '\0';
	return rest;
}

/* Ends the field at *at, and moves *at to the next one, or to NULL. */
static inline char *
cut_field(text_state *s, char **at)
{
	const char stop = s->delimiter ? s->delimiter : ' ';
	const char other = s->delimiter ? s->delimiter : '\t';
	char *field = *at;
	while (*field == ' ' || (*field == '\t' && stop != '\t'))
		++field;
	const bool quoted = *field == '"';
	char *end = quoted ? unquote(s, field) : field;
	for (; *end != '\0' && *end != stop && *end != other; ++end)
		s->torn |= quoted && !is_blank(*end);
	*at = *end == '\0' ? NULL : end + 1;
	*end = '\0';
	while (!quoted && end > field && is_blank(end[-1]))
		*--end = '\0';
	if (s->delimiter == TEXT_BLANKS && *at) {
		while (**at == ' ' || **at == '\t')
			++*at;
		if (**at == '\0')
			*at = NULL;
	}
	return field;
}

size_t
text_split(text_state *s, char *line, size_t max)
{
	size_t n = 0;
	const char *last = "";
	s->torn = s->open = false;
	for (char *at = line; at; ++n) {
		char *field = cut_field(s, &at);
		if (n < max)
			s->fields[n] = field;
		last = field;
	}
	return n > 1 && *last == '\0' && n != s->columns ? n - 1 : n;
}

/* Blanks set columns apart where commas are decimal marks: "0,5 1,25". */
static bool
has_blanks_between(const char *line)
{
	const char *c = line;
	size_t fields = 0, commas = 0;
	while (*c != '\0') {
		c += strspn(c, " \t");
		const size_t n = strcspn(c, " \t");
		const char *comma = memchr(c, ',', n);
		if (n == 0)
			break;
		if (strspn(c, "+-0123456789,eE") < n
		    || (comma && (comma == c || comma + 1 == c + n ||
		    memchr(comma + 1, ',', n - (size_t)(comma + 1 - c)))))
			return false;
		commas += comma != NULL;
		c += n;
		++fields;
	}
	return fields > 1 && commas > 0;
}

char
text_find_delimiter(const char *line)
{
	bool quoted = false, found[4] = { false };
	static const char marks[4] = { '\t', ';', ',', '|' };
	for (const char *c = line; *c != '\0'; ++c) {
		quoted ^= *c == '"';
		for (size_t i = 0; i < sizeof marks; ++i)
			found[i] |= !quoted && *c == marks[i];
	}
	for (size_t i = 0; i < sizeof marks; ++i)
		if (found[i])
			return marks[i] == ',' && has_blanks_between(line) ? TEXT_BLANKS : marks[i];
	return TEXT_BLANKS;
}

ws_status
text_fields_of(wsi_recording *rec, const char *line, char ***fields, size_t *n)
{
	text_state *s = rec->state;
	const size_t length = strlen(line), most = length + 1;
	/* A field has a byte at least, but for the last. */
	char **made = malloc(most * sizeof *made + length + 1);
	WSI_HAVE(made, "%s: no memory for its columns", rec->path);
	char *copy = (char *)(made + most);
	memcpy(copy, line, length + 1);
	char **before = s->fields;
	s->fields = made;
	*n = text_split(s, copy, most);
	s->fields = before;
	*fields = made;
	return WS_OK;
}
