/* ini.c - entries "key=value" in [sections], as BrainVision writes them. */
#include "io/read/ini.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "io/read/number.h"
#include "io/read/readers.h"

static bool
slice_is(const char *slice, size_t length, const char *text)
{
	return strlen(text) == length && strncasecmp(slice, text, length) == 0;
}

bool
ini_next(ini_entry *e)
{
	while (*e->rest != '\0') {
		const char *start = e->rest;
		const size_t n = strcspn(start, "\r\n");
		e->rest = start + n;
		e->rest += e->rest[0] == '\r' && e->rest[1] == '\n' ? 2 : *e->rest != '\0';
		++e->line;
		const char *equals = memchr(start, '=', n);
		if (n > 0 && *start == '[') {
			const char *end = memchr(start, ']', n);
			e->section = start + 1;
			e->section_length = end ? (size_t)(end - start - 1) : n - 1;
			if (ini_in_section(e, "Comment"))
				return false;
		} else if (equals && *start != ';') {
			e->key = start;
			e->key_length = (size_t)(equals - start);
			e->value = equals + 1;
			e->value_length = n - e->key_length - 1;
			return true;
		}
	}
	return false;
}

bool
ini_in_section(const ini_entry *e, const char *section)
{
	return e->section && slice_is(e->section, e->section_length, section);
}

size_t
ini_key_number(const ini_entry *e, const char *letters)
{
	if (e->key_length < 3 || strncasecmp(e->key, letters, 2) != 0)
		return 0;
	size_t number = 0;
	for (size_t i = 2; i < e->key_length; ++i) {
		if (e->key[i] < '0' || e->key[i] > '9' || number > 100000000)
			return 0;
		number = 10 * number + (size_t)(e->key[i] - '0');
	}
	return number;
}

char *
ini_text(const char *text, const char *section, const char *key)
{
	ini_entry e = { .rest = text };
	while (ini_next(&e))
		if (ini_in_section(&e, section) && slice_is(e.key, e.key_length, key))
			return wsi_clean_text(e.value, e.value_length);
	return wsi_strdup("");
}

ws_status
ini_number(const char *path, const char *text, const char *section, const char *key, double *value,
           bool *there)
{
	char *told = ini_text(text, section, key);
	*there = told && *told != '\0';
	WSI_HAVE(told, "%s: no memory", path);
	const double number = ini_to_number(told);
	ws_status status = WS_OK;
	if (*there && isnan(number))
		status = WSI_FAIL(WS_E_FORMAT, "%s: [%s] %s is '%s', which is not a number; "
		                  "correct the line", path, section, key, told);
	else if (*there)
		*value = number;
	free(told);
	return status;
}

char *
ini_field(const ini_entry *e, size_t i)
{
	const char *at = e->value, *end = e->value + e->value_length;
	const char *comma = memchr(at, ',', (size_t)(end - at));
	for (; i > 0; --i) {
		if (!comma)
			return wsi_strdup("");
		at = comma + 1;
		comma = memchr(at, ',', (size_t)(end - at));
	}
	char *text = wsi_clean_text(at, (size_t)((comma ? comma : end) - at));
	if (!text)
		return NULL;
	char *to = text;
	for (const char *from = text; *from != '\0'; ++to) {
		const bool code = from[0] == '\\' && from[1] == '1';
		*to = code ? ',' : *from;
		from += code ? 2 : 1;
	}
	*to = '\0';
	return text;
}

double
ini_to_number(const char *text)
{
	char *end;
	const double value = wsi_decimal(text, &end);
	return *text != '\0' && *end == '\0' && isfinite(value) ? value : NAN;
}
