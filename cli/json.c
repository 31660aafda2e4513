/* json.c - see json.h. */
#include "json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

json_t *
cli_json_text(const char *text)
{
	json_t *string = json_string(text);
	if (string)
		return string;
	char *utf8 = malloc(2 * strlen(text) + 1), *to = utf8;
	if (!utf8)
		return NULL;
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

int
cli_json_print(json_t *root)
{
	int failed = json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
	json_decref(root);
	if (failed)
		return cli_fail(EXIT_NOROOM, "standard output cannot be written");
	printf("\n");
	return EXIT_DONE;
}
