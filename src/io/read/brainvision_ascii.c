/* brainvision_ascii.c - the samples of a BrainVision recording that are text. */
#include "io/read/brainvision_ascii.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/read/number.h"

/* A cursor over a text. */
typedef struct lines {
	char *rest;
	const char *path;
	size_t number;         /* of the line, from 1 */
	const bv_ascii *how;
} lines;

static const char *
past_lines(const char *text, size_t n)
{
	for (; n > 0 && *text; --n) {
		text += strcspn(text, "\r\n");
		text += text[0] == '\r' && text[1] == '\n' ? 2 : *text != '\0';
	}
	return text;
}

/* The next line that is not blank, ended by a NUL in place; NULL at the end. */
static char *
next_line(lines *l)
{
	while (*l->rest != '\0') {
		char *line = l->rest;
		const size_t n = strcspn(line, "\r\n");
		l->rest = line + n + (line[n] == '\r' && line[n + 1] == '\n' ? 2 : line[n] != '\0');
		line[n] = '\0';
		++l->number;
		if (line[strspn(line, " \t")] != '\0')
			return line;
	}
	return NULL;
}

static const char *
separators(const bv_ascii *how)
{
	return how->comma ? " \t;" : " \t;,";
}

/* The next field of a line, ended by a NUL; NULL: there is none. */
static char *
next_field(const lines *l, char **line)
{
	char *field = *line + strspn(*line, separators(l->how));
	if (*field == '\0')
		return NULL;
	char *end = field + strcspn(field, separators(l->how));
	*line = end + (*end != '\0');
	*end = '\0';
	return field;
}

static ws_status
to_number(const lines *l, char *field, double *value)
{
	char *end, *comma = l->how->comma ? strchr(field, ',') : NULL;
	if (comma)
		*comma = '.';
	*value = wsi_decimal(field, &end);
	if (*end == '\0' && isfinite(*value))
		return WS_OK;
	return WSI_FAIL(WS_E_FORMAT, "%s: line %zu: '%.40s' is no number (DecimalSymbol, SkipLines "
	                "and SkipColumns of the header's [ASCII Infos] tell what is)", l->path,
	                l->number, field);
}

/* The numbers of a line behind its skipped columns, `most` at most; *n: how many there are. */
static ws_status
read_line(const lines *l, char *line, double *to, size_t stride, size_t most, size_t *n)
{
	char *field;
	for (size_t i = 0; i < l->how->skip_columns && next_field(l, &line); ++i)
		;
	for (*n = 0; (field = next_field(l, &line)) != NULL; ++*n) {
		if (*n == most)
			return WSI_FAIL(WS_E_FORMAT, "%s: line %zu has more than %zu numbers",
			                l->path, l->number, most);
		WSI_TRY(to_number(l, field, to + *n * stride));
	}
	return WS_OK;
}

/* A line a point; there is room for `most`. */
static ws_status
read_points(wsi_recording *rec, lines *l, size_t channels, size_t most, double *to,
            uint64_t *points)
{
	char *line;
	size_t n;
	for (*points = 0; *points < most && (line = next_line(l)) != NULL; ++*points) {
		WSI_TRY(read_line(l, line, to + *points, most, channels, &n));
		if (n == channels)
			continue;
		if (*l->rest == '\0')
			return wsi_recording_add_note(rec, "%s: ends within point %" PRIu64
			                              ": it was cut short; what is there is read",
			                              l->path, *points + 1);
		return WSI_FAIL(WS_E_FORMAT, "%s: line %zu has %zu numbers, not one for each of "
		                "%zu channels", l->path, l->number, n, channels);
	}
	return WS_OK;
}

/* A line a channel: all as long as the first. */
static ws_status
read_channels(lines *l, size_t channels, size_t most, double *to, uint64_t *points)
{
	char *line;
	size_t n, c = 0;
	for (; c < channels && (line = next_line(l)) != NULL; ++c) {
		WSI_TRY(read_line(l, line, to + c * most, 1, most, &n));
		if (c > 0 && n != *points)
			return WSI_FAIL(WS_E_FORMAT, "%s: line %zu has %zu numbers, others have %"
			                PRIu64
			                ": lines of channels are of one length", l->path, l->number,
			                n, *points);
		*points = n;
	}
	if (c < channels)
		return WSI_FAIL(WS_E_FORMAT, "%s: has %zu lines of numbers, not one for each of "
		                "%zu channels", l->path, c, channels);
	return WS_OK;
}

/* Points that a text can have, so that numbers find room: each has a character behind it. */
static size_t
most_points(const char *text, const bv_ascii *how)
{
	size_t n = 1;
	if (!how->vectorized) {
		for (const char *c = text; *c; ++c)
			n += *c == '\n' || (*c == '\r' && c[1] != '\n');
		return n;
	}
	/* Of the first line that is a channel. */
	const char *c = past_lines(text, how->skip_lines);
	c += strspn(c, "\r\n \t");
	for (bool inside = false; *c && *c != '\n' && *c != '\r'; ++c) {
		const bool parted = strchr(separators(how), *c) != NULL;
		n += inside && parted;
		inside = !parted;
	}
	return n;
}

/* values[channel][room] to [channel][points]. */
static void
close_up(double *values, size_t channels, size_t room, size_t points)
{
	for (size_t c = 1; c < channels && points < room; ++c)
		memmove(values + c * points, values + c * room, points * sizeof *values);
}

static ws_status
parse(wsi_recording *rec, char *text, const char *path, const bv_ascii *how, size_t channels,
      double **values, uint64_t *points)
{
	lines l = { .rest = text, .path = path, .how = how };
	const size_t most = most_points(text, how);
	size_t bytes;
	if (!wsi_mul_size(most, channels, &bytes) || !wsi_mul_size(bytes, sizeof **values, &bytes))
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory for its samples", path);
	WSI_TRY(wsi_recording_count(rec, bytes, "its samples, which are text, take"));
	*values = malloc(bytes);
	WSI_HAVE(*values, "%s: no memory for its samples", path);
	l.rest = text + (past_lines(text, how->skip_lines) - text);
	l.number = how->skip_lines;
	WSI_TRY(how->vectorized ? read_channels(&l, channels, most, *values, points)
	                        : read_points(rec, &l, channels, most, *values, points));
	close_up(*values, channels, most, (size_t)*points);
	const char *after = next_line(&l);
	if (after)
		return wsi_recording_add_note(rec, "%s: line %zu follows the samples that the "
		                              "header tells of; it is not read", path, l.number);
	return WS_OK;
}

ws_status
bv_ascii_read(wsi_recording *rec, const wsi_file *f, const bv_ascii *how, size_t channels,
              double **values, uint64_t *points)
{
	const size_t n = (size_t)f->bytes;
	*values = NULL;
	*points = 0;
	WSI_TRY(wsi_recording_count(rec, n + 1, "its samples, which are text, take"));
	char *text = malloc(n + 1);
	ws_status status = text ? wsi_file_read(f, 0, text, n)
	                   : WSI_FAIL(WS_E_NOMEM, "%s: no memory for %zu bytes", f->path, n);
	if (status == WS_OK) {
		text[n] = '\0';
		if (strlen(text) != n)
			status = WSI_FAIL(WS_E_FORMAT, "%s: has a NUL byte at %zu and is no text",
			                  f->path, strlen(text));
	}
	if (status == WS_OK)
		status = parse(rec, text, f->path, how, channels, values, points);
	if (status == WS_OK && *points == 0)
		status = WSI_FAIL(WS_E_FORMAT, "%s: has no samples", f->path);
	free(text);
	rec->held -= n + 1;
	if (status != WS_OK) {
		free(*values);
		*values = NULL;
	}
	return status;
}
