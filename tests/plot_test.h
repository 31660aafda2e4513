/* plot_test.h - figures drawn to files that have their names. */
#ifndef WSI_PLOT_TEST_H
#define WSI_PLOT_TEST_H

#include "plot/sheet.h"

/* named(wsi_plot_chart(&chart, on(path))): draws it there. */
static _Thread_local wsi_sheet test_sheet;

static inline wsi_sheet *
on(const char *path)
{
	test_sheet = (wsi_sheet){ .path = path };
	return &test_sheet;
}

static inline ws_status
named(ws_status drawn)
{
	return wsi_sheet_place(&test_sheet, drawn);
}

#endif
