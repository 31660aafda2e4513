/* number.c - decimal numbers in texts of files. */
#include "io/read/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

double
wsi_decimal(const char *text, char **end)
{
	const char *c = text + strspn(text, " \t");
	c += *c == '+' || *c == '-';
	const char *digits = c + (*c == '.');
	const bool hex = c[0] == '0' && (c[1] == 'x' || c[1] == 'X');
	if (*digits < '0' || *digits > '9' || hex) {
		*end = (char *)text;
		return NAN;
	}
	return strtod(text, end);
}
