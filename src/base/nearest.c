/* nearest.c - which of some names a misspelled one may have meant. */
#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

#define MOST 64

/* ASCII, whatever the locale. */
static int
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static size_t
least(size_t a, size_t b, size_t c)
{
	const size_t ab = a < b ? a : b;
	return ab < c ? ab : c;
}

/* Letters to add, drop or change, and neighbours to swap (Damerau 1964); na, nb below MOST. */
static size_t
distance(const char *a, size_t na, const char *b, size_t nb)
{
	size_t rows[3][MOST];
	for (size_t i = 0; i <= na; ++i) {
		size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *top = rows[(i + 1) % 3];
		row[0] = i;
		for (size_t j = 1; j <= nb; ++j) {
			if (i == 0) {
				row[j] = j;
				continue;
			}
			const int same = lower(a[i - 1]) == lower(b[j - 1]);
			row[j] = least(above[j] + 1, row[j - 1] + 1, above[j - 1] + !same);
			if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
			    lower(a[i - 2]) == lower(b[j - 1]) && top[j - 2] + 1 < row[j])
				row[j] = top[j - 2] + 1;
		}
	}
	return rows[na % 3][nb];
}

void
wsi_nearest_offer(wsi_nearest *best, const char *name)
{
	const size_t n = strlen(name);
	if (best->length < 2 || best->length >= MOST || n == 0 || n >= MOST)
		return;
	const size_t far = distance(best->wanted, best->length, name, n);
	const size_t most = best->length < 6 ? 1 : best->length / 3;
	if (far > most || (best->name && far >= best->distance))
		return;
	best->name = name;
	best->distance = far;
}

const char *
wsi_nearest_tell(const wsi_nearest *best, char text[WSI_NEAREST_TEXT])
{
	text[0] = '\0';
	if (best->name)
		snprintf(text, WSI_NEAREST_TEXT, "; did you mean %s?", best->name);
	return text;
}
