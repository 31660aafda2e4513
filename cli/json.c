/* json.c - see json.h. */
#include "json.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

/* Was there once no memory?  Then a value is missing somewhere. */
static bool incomplete;

static void *
allocate(size_t n)
{
	void *memory = malloc(n);
	incomplete |= !memory;
	return memory;
}

void
cli_json_start(void)
{
	json_set_alloc_funcs(allocate, free);
}

json_t *
cli_json_text(const char *text)
{
	json_t *string = json_string(text);
	if (string)
		return string;
	char *utf8 = malloc(2 * strlen(text) + 1), *to = utf8;
	if (!utf8) {
		incomplete = true;
		return NULL;
	}
	for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
		if (*c >= 0x80)
			*to++ = (char)(0xc0 | *c >> 6);
		*to++ = (char)(*c < 0x80 ? *c : 0x80 | (*c & 0x3f));
	}
	*to = '\0';
	string = json_string(utf8);
	free(utf8);
	return string;
}

json_t *
cli_json_real(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

/* A number of 17 digits by the fewest that bring the same value back, from 15 on. */
static void
print_number(const char *text, int length)
{
	char number[40];
	const double value = strtod(text, NULL);
	int digits = 15;
	if (!memchr(text, '.', (size_t)length) && !memchr(text, 'e', (size_t)length)) {
		printf("%.*s", length, text);
		return;
	}
	do
		snprintf(number, sizeof number, "%.*g", digits, value);
	while (strtod(number, NULL) != value && ++digits <= 17);
	printf("%s%s", number, strpbrk(number, ".e") ? "" : ".0");
}

int
cli_json_print(json_t *root)
{
	char *text = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
	json_decref(root);
	if (!text || incomplete) {
		free(text);
		return cli_fail(EXIT_NOROOM, "not enough memory for the JSON");
	}
	bool quoted = false;
	for (const char *c = text; *c;) {
		size_t number = quoted ? 0 : strspn(c, "+-.0123456789");
		if (number > 0)
			number += c[number] == 'e' ? 1 + strspn(c + number + 1, "+-0123456789") : 0;
		if (number > 0) {
			print_number(c, (int)number);
			c += number;
			continue;
		}
		if (quoted && *c == '\\')
			putchar(*c++);
		else
			quoted ^= *c == '"';
		putchar(*c++);
	}
	free(text);
	printf("\n");
	return ferror(stdout) ? cli_fail(EXIT_NOROOM, "standard output cannot be written")
	       : EXIT_DONE;
}
