/* json.c - what the commands share in writing JSON. */
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

/* Prints text, of which the lines after the first are moved to the right. */
static void
print_text(const char *text, size_t length, int indent)
{
	bool quoted = false;
	for (const char *c = text; c < text + length;) {
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
		if (*c == '\n')
			printf("\n%*s", indent, "");
		else
			putchar(*c);
		c++;
	}
}

char *
cli_json_dump(const json_t *value, size_t flags)
{
	const size_t n = json_dumpb(value, NULL, 0, flags);
	char *text = n ? malloc(n + 1) : NULL;
	if (text && json_dumpb(value, text, n, flags) == n) {
		text[n] = '\0';
		return text;
	}
	free(text);
	return NULL;
}

/* value as text, which is the caller's to free, value itself freed; NULL for want of memory. */
static char *
text_of(json_t *value)
{
	char *text = value ? json_dumps(value, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) : NULL;
	json_decref(value);
	if (text && !incomplete)
		return text;
	free(text);
	return NULL;
}

char *
cli_json_line(json_t *value)
{
	char *text = value ? json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(15)) : NULL;
	json_decref(value);
	const size_t n = text && !incomplete ? strlen(text) : 0;
	char *line = n ? realloc(text, n + 2) : NULL;
	if (line)
		strcpy(line + n, "\n");
	else
		free(text);
	return line;
}

static bool
print_list(const cli_json_list *list)
{
	printf(",\n  \"%s\": [", list->key);
	for (size_t i = 0; i < list->n && !ferror(stdout); i++) {
		char *text = text_of(list->element(list->user, i));
		if (!text)
			return false;
		printf("%s\n    ", i ? "," : "");
		print_text(text, strlen(text), 4);
		free(text);
	}
	printf(list->n ? "\n  ]" : "]");
	return true;
}

json_t *
cli_json_gather(json_t *root, const cli_json_list *lists, size_t n, size_t most)
{
	for (size_t i = 0; i < n; i++) {
		json_t *all = json_array();
		for (size_t k = 0; k < lists[i].n && k < most; k++)
			json_array_append_new(all, lists[i].element(lists[i].user, k));
		json_object_set_new(root, lists[i].key, all);
	}
	return root;
}

int
cli_json_print_lists(json_t *root, const cli_json_list *lists, size_t n)
{
	char *text = text_of(root);
	bool whole = text != NULL;
	/* Without what closes it, "\n}". */
	if (whole)
		print_text(text, strlen(text) - 2, 0);
	free(text);
	for (size_t i = 0; i < n && whole; i++)
		whole = print_list(&lists[i]);
	if (!whole)
		return cli_fail(EXIT_NOROOM, "not enough memory for the JSON");
	printf("\n}\n");
	return ferror(stdout) ? cli_fail(EXIT_NOROOM, "standard output cannot be written")
	       : EXIT_DONE;
}

int
cli_json_print(json_t *root)
{
	return cli_json_print_lists(root, NULL, 0);
}
