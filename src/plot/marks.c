/* marks.c - events on the time axis of a figure. */
#include "plot/marks.h"

#include <stdio.h>
#include <string.h>

#include "plot/text.h"

static double
place(const wsi_plot_data *d, const wsi_mark_look *look, size_t i)
{
	return look->x + d->marks[i].time * look->per_second;
}

static bool
within(const wsi_box *box, double x)
{
	return x >= box->x - 1e-6 && x <= box->x + box->width + 1e-6;
}

void
wsi_marks_draw_lines(cairo_t *cr, const wsi_plot_data *d, const wsi_mark_look *look,
                     const wsi_box *box)
{
	for (size_t i = 0; i < d->n_marks; ++i) {
		const double x = wsi_draw_crisp(place(d, look, i));
		if (within(box, place(d, look, i)))
			wsi_draw_hairline(cr, look->line, x, box->y, x, box->y + box->height);
	}
}

/* What n marks from the first on are called together. */
static void
name(const wsi_plot_data *d, size_t first, size_t n, char *out, size_t size)
{
	char label[64];
	bool alike = true;
	for (size_t i = first + 1; i < first + n; ++i)
		alike = alike && strcmp(d->marks[i].label, d->marks[first].label) == 0;
	wsi_text_clean(label, sizeof label, d->marks[first].label);
	if (!alike || (n > 1 && !*label))
		snprintf(out, size, "%zu events", n);
	else
		snprintf(out, size, n > 1 ? "%s ×%zu" : "%s", label, n);
}

void
wsi_marks_draw_labels(cairo_t *cr, const wsi_plot_data *d, const wsi_mark_look *look,
                      const wsi_box *box, double y)
{
	double taken = box->x;   /* to where labels stand */
	for (size_t i = 0, n; i < d->n_marks; i += n) {
		double x = place(d, look, i);
		char text[96];
		double width;
		n = 1;
		if (!within(box, x))
			continue;
		for (;; ++n) {
			name(d, i, n, text, sizeof text);
			width = wsi_text_width(cr, WSI_FONT_TICK, text);
			const double next = i + n < d->n_marks ? place(d, look, i + n) : 0;
			if (i + n == d->n_marks || !within(box, next) || next > x + width + 8)
				break;
		}
		x += 3;
		if (x + width > box->x + box->width)
			x -= width + 6;
		if (!*text || x < taken)
			continue;
		taken = x + width + 3;
		if (look->backed) {
			wsi_draw_colour(cr, WSI_PAPER);
			cairo_rectangle(cr, x - 1.5, y - 8, width + 3, 11);
			cairo_fill(cr);
		}
		wsi_text_draw(cr, WSI_FONT_TICK, look->label, WSI_LEFT, x, y, text);
	}
}
