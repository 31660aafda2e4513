/* sheet.c - --size and --dpi: the sheet of a figure. */
#include "sheet.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"

/* "180x120mm", "7in", "180" into units of 1/96 inch. */
static bool
parse_page(const char *text, double size[2])
{
	static const struct { const char *name; double size; } units[] = {
		{ "mm", 96 / 25.4 }, { "", 96 / 25.4 }, { "cm", 960 / 25.4 }, { "in", 96 },
		{ "pt", 96 / 72.0 }, { "px", 1 },
	};
	char *end;
	int n = 0;
	do {
		size[n] = strtod(n ? text + 1 : text, &end);
		n++;
	} while (end > text && *(text = end) == 'x' && n < 2);
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strcmp(end, units[i].name) == 0) {
			for (int k = 0; k < n; k++)
				size[k] *= units[i].size;
			/* From a stamp to a poster. */
			return size[0] >= 90 && size[0] <= 2e4
			       && (n == 1 || (size[1] >= 90 && size[1] <= 2e4));
		}
	return false;
}

ws_status
cli_sheet_of(const cli_args *args, const char *path, wsi_sheet *sheet)
{
	double size[2] = { 0 };
	if (args->size && !parse_page(args->size, size))
		return WSI_FAIL(WS_E_ARG, "--size %s: the width of a page, and its height, are "
		                "needed, such as 180x120mm, 7x5in or 88mm: from 24 mm to 5 m",
		                args->size);
	*sheet = (wsi_sheet){ .path = path, .width = size[0], .height = size[1],
		.dpi = args->dpi };
	return WS_OK;
}
