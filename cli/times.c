/* times.c - moments on a time axis as people write them. */
#include "times.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/read/text_time.h"
#include "io/read/time_units.h"
#include "values.h"

bool
cli_parse_moment(const char *text, wsi_moment *moment)
{
	char number[64];
	size_t length = strlen(text), letters = 0;
	while (letters < length && strchr("dhimnsuy", text[length - letters - 1]))
		letters++;
	const char *name = text + length - letters;
	const double unit = letters ? wsi_time_unit(name) : 1;
	double value;
	text_date date;
	if (text_parse_date(text, false, &date) && !date.open) {
		*moment = (wsi_moment){ .text = text, .dated = true,
			.value = (double)date.seconds + date.fraction };
		return true;
	}
	if (unit == 0 || length - letters >= sizeof number)
		return false;
	snprintf(number, sizeof number, "%.*s", (int)(length - letters), text);
	if (!cli_parse_real(number, &value) || !isfinite(value * unit))
		return false;
	*moment = (wsi_moment){ .text = text, .value = value * unit, .has_unit = letters > 0 };
	return true;
}

bool
cli_parse_duration(const char *text, double *seconds)
{
	wsi_moment moment;
	if (!cli_parse_moment(text, &moment) || moment.dated || moment.value <= 0)
		return false;
	*seconds = moment.value;
	return true;
}

bool
cli_parse_rate(const char *text, double *hz)
{
	char number[64];
	const size_t width = strcspn(text, "/");
	const double unit = text[width] ? text_unit_seconds(text + width + 1) : 1;
	if (unit <= 0 || width >= sizeof number)
		return false;
	snprintf(number, sizeof number, "%.*s", (int)width, text);
	if (!cli_parse_real(number, hz))
		return false;
	*hz /= unit;
	return *hz > 0 && isfinite(*hz);
}
