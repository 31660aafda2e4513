/* clean.c - texts of files made fit to be shown. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/read/clean.h"
#include "io/result/sha256.h"

/* Longest name that is kept, in bytes; real ones have some 20.  What has more is cut, and told
 * apart from others that begin alike. */
#define MOST_NAME 240

/* Length of the UTF-8 sequence at s of at most n bytes, 0 if it is none. */
static size_t
utf8_length(const unsigned char *s, size_t n)
{
	const size_t length = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2
	                    : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
	if (length == 0 || length > n)
		return 0;
	for (size_t i = 1; i < length; ++i)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	/* Overlong forms, surrogates and what lies past U+10FFFF. */
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return length;
}

/* Does the sequence do something to a terminal, or to the order or lines of the text around it,
 * instead of being seen?  Controls C0 and C1; marks of direction; separators of lines. */
static bool
is_control(const unsigned char *s, size_t length)
{
	if (length == 1)
		return s[0] < ' ' || s[0] == 0x7f;
	if (length == 2)
		return s[0] == 0xc2 && s[1] < 0xa0;
	if (length != 3 || s[0] != 0xe2)
		return length == 3 && s[0] == 0xef && s[1] == 0xbb && s[2] == 0xbf;
	return (s[1] == 0x80 && (s[2] == 0x8e || s[2] == 0x8f || (s[2] >= 0xa8 && s[2] <= 0xae)))
	       || (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9);
}

size_t
wsi_clean_into(const char *text, size_t n, char *out)
{
	const unsigned char *s = (const unsigned char *)text;
	while (n > 0 && s[0] <= ' ')
		++s, --n;
	while (n > 0 && s[n - 1] <= ' ')
		--n;
	bool utf8 = true;
	for (size_t i = 0, step; i < n && utf8; i += step) {
		step = utf8_length(s + i, n - i);
		utf8 = step > 0;
	}
	size_t m = 0;
	for (size_t i = 0, step; i < n; i += step) {
		step = utf8 ? utf8_length(s + i, n - i) : 1;
		const bool latin = !utf8 && s[i] >= 0x80;
		if (latin ? s[i] < 0xa0 : is_control(s + i, step)) {
			out[m++] = ' ';
		} else if (latin) {
			out[m++] = (char)(0xc0 | s[i] >> 6);
			out[m++] = (char)(0x80 | (s[i] & 0x3f));
		} else {
			memcpy(out + m, s + i, step);
			m += step;
		}
	}
	while (m > 0 && out[m - 1] == ' ')
		--m;
	out[m] = '\0';
	return m;
}

char *
wsi_clean_text(const char *text, size_t n)
{
	char *out = malloc(2 * n + 1);
	if (out)
		wsi_clean_into(text, n, out);
	return out;
}

/* The mark of a name that was cut: these, and digits of the checksum of the whole. */
#define MARK "..#"
#define DIGITS 12

char *
wsi_clean_name(const char *name)
{
	char *clean = wsi_clean_text(name, strlen(name)), hex[65];
	if (!clean || strlen(clean) <= MOST_NAME)
		return clean;
	wsi_sha256 hash;
	wsi_sha256_start(&hash);
	wsi_sha256_add(&hash, clean, strlen(clean));
	wsi_sha256_finish(&hash, hex);
	size_t n = MOST_NAME - DIGITS - strlen(MARK);
	/* Not within a letter. */
	while (n > 0 && ((unsigned char)clean[n] & 0xc0) == 0x80)
		--n;
	sprintf(clean + n, MARK "%.*s", DIGITS, hex);
	return clean;
}

bool
wsi_name_is_cut(const char *name)
{
	const size_t n = strlen(name), mark = strlen(MARK);
	return n > MOST_NAME - 4 && n <= MOST_NAME
	       && strncmp(name + n - DIGITS - mark, MARK, mark) == 0
	       && strspn(name + n - DIGITS, "0123456789abcdef") == DIGITS;
}
