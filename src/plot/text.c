/* text.c - cleaning, measuring, shortening and drawing text. */
#include "plot/text.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/status.h"

#define ELLIPSIS "…"

void
wsi_text_prepare(cairo_t *cr)
{
	cairo_font_options_t *options = cairo_font_options_create();
	cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
	cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
	cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
	cairo_set_font_options(cr, options);
	cairo_font_options_destroy(options);
}

cairo_t *
wsi_text_scratch(void)
{
	cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
	cairo_t *cr = cairo_create(surface);
	cairo_surface_destroy(surface);
	wsi_text_prepare(cr);
	return cr;
}

ws_status
wsi_text_scratch_end(cairo_t *cr)
{
	cairo_status_t status = cairo_status(cr);
	cairo_destroy(cr);
	if (status != CAIRO_STATUS_SUCCESS)
		return WSI_FAIL(WS_E_INTERNAL,
		                "cairo cannot measure text: %s; is a font installed?",
		                cairo_status_to_string(status));
	return WS_OK;
}

/* Bytes of the UTF-8 character at s, and its code; 0 where s is not UTF-8. */
static size_t
decode(const unsigned char *s, uint32_t *code)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t n = s[0] < 0x80 ? 1
	         : s[0] >> 5 == 6 ? 2
	         : s[0] >> 4 == 14 ? 3
	         : s[0] >> 3 == 30 ? 4 : 0;
	if (n == 0)
		return 0;
	*code = n == 1 ? s[0] : s[0] & (0x7Fu >> n);
	for (size_t i = 1; i < n; ++i) {
		if (s[i] >> 6 != 2)
			return 0;
		*code = *code << 6 | (s[i] & 0x3Fu);
	}
	bool surrogate = *code >= 0xD800 && *code < 0xE000;
	return *code < least[n] || *code > 0x10FFFF || surrogate ? 0 : n;
}

/* Codes that cairo refuses to draw. */
static bool
is_noncharacter(uint32_t code)
{
	return (code & 0xFFFE) == 0xFFFE || (code >= 0xFDD0 && code <= 0xFDEF);
}

void
wsi_text_clean(char *out, size_t size, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t used = 0;
	while (*s) {
		uint32_t code;
		size_t n = decode(s, &code);
		char latin[2] = {(char)(0xC0 | *s >> 6), (char)(0x80 | (*s & 0x3F))};
		const char *from = n ? (const char *)s : latin;
		size_t bytes = n ? n : sizeof latin;
		if (n == 0)
			code = *s;
		if (code < 0x20 || (code >= 0x7F && code < 0xA0) || is_noncharacter(code)) {
			from = " ";
			bytes = 1;
		}
		if (used + bytes >= size)
			break;
		memcpy(out + used, from, bytes);
		used += bytes;
		s += n ? n : 1;
	}
	out[used] = '\0';
}

void
wsi_text_channel(char *out, size_t size, const char *name)
{
	const bool number = *name && !name[strspn(name, "0123456789")];
	const int used = snprintf(out, size, number ? "channel " : "");
	wsi_text_clean(out + used, size - (size_t)used, name);
}

void
wsi_text_unit(char *out, size_t size, const char *unit)
{
	char clean[64];
	wsi_text_clean(clean, sizeof clean, unit);
	bool micro = strcmp(clean, "uV") == 0 || strcmp(clean, "uA") == 0 ||
	             strcmp(clean, "us") == 0;
	const bool degrees = strcmp(clean, "degC") == 0 || strcmp(clean, "degF") == 0;
	wsi_snprintf(out, size, "%s%s", micro ? "µ" : degrees ? "°" : "",
	             clean + (micro ? 1 : degrees ? 3 : 0));
}

const char *
wsi_text_unit_or(const char *unit, char text[32])
{
	wsi_text_unit(text, 32, unit);
	return *text ? text : strcpy(text, "unit");
}

static void
select_font(cairo_t *cr, wsi_font font)
{
	cairo_select_font_face(cr, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
	                       font.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
	cairo_set_font_size(cr, font.size);
}

/* ---- Text that stays text --------------------------------------------------------------- */

static const cairo_user_data_key_t words_key;

void
wsi_text_keep(cairo_surface_t *surface, FILE *words)
{
	/* Without memory for it the text becomes outlines. */
	(void)cairo_surface_set_user_data(surface, &words_key, words, NULL);
}

static void
write_element(FILE *out, cairo_t *cr, wsi_font font, wsi_colour colour, wsi_align align, double x,
              double y, const char *text)
{
	static const char *const anchors[] = {"start", "middle", "end"};
	char numbers[320], clean[1024];
	cairo_matrix_t m;
	cairo_get_matrix(cr, &m);
	wsi_snprintf(numbers, sizeof numbers, "transform=\"matrix(%.6g %.6g %.6g %.6g %.2f %.2f)\" "
	             "font-size=\"%.4g\" fill=\"#%02X%02X%02X\"", m.xx, m.yx, m.xy, m.yy,
	             m.xx * x + m.xy * y + m.x0, m.yx * x + m.yy * y + m.y0, font.size,
	             (unsigned)(255 * colour.r + 0.5), (unsigned)(255 * colour.g + 0.5),
	             (unsigned)(255 * colour.b + 0.5));
	fprintf(out, "<text %s text-anchor=\"%s\"%s font-family=\"DejaVu Sans, Verdana, "
	        "sans-serif\">", numbers, anchors[align], font.bold ? " font-weight=\"bold\"" : "");
	wsi_text_clean(clean, sizeof clean, text);
	for (const char *c = clean; *c; ++c)
		if (*c == '<' || *c == '&')
			fputs(*c == '<' ? "&lt;" : "&amp;", out);
		else
			putc(*c, out);
	fputs("</text>\n", out);
}

/* ---- Measured text ---------------------------------------------------------------------- */

double
wsi_text_width(cairo_t *cr, wsi_font font, const char *text)
{
	cairo_text_extents_t extents;
	select_font(cr, font);
	cairo_text_extents(cr, text, &extents);
	return extents.x_advance;
}

void
wsi_text_fit(cairo_t *cr, wsi_font font, char *text, size_t size, double width)
{
	size_t n = strlen(text);
	if (wsi_text_width(cr, font, text) <= width)
		return;
	if (n > size - sizeof ELLIPSIS)
		n = size - sizeof ELLIPSIS;
	do {
		/* Back over one character and any space before it. */
		while (n > 0 && ((unsigned char)text[n] >> 6 == 2 || text[n - 1] == ' '))
			--n;
		strcpy(text + n, ELLIPSIS);
	} while (n > 0 && wsi_text_width(cr, font, text) > width && n--);
}

void
wsi_text_draw(cairo_t *cr, wsi_font font, wsi_colour colour, wsi_align align, double x, double y,
              const char *text)
{
	FILE *words = cairo_surface_get_user_data(cairo_get_target(cr), &words_key);
	if (words && *text) {
		write_element(words, cr, font, colour, align, x, y, text);
		return;
	}
	if (align != WSI_LEFT) {
		double width = wsi_text_width(cr, font, text);
		x -= align == WSI_RIGHT ? width : width / 2;
	}
	select_font(cr, font);
	cairo_set_source_rgb(cr, colour.r, colour.g, colour.b);
	cairo_move_to(cr, x, y);
	cairo_show_text(cr, text);
}

void
wsi_text_draw_up(cairo_t *cr, wsi_font font, wsi_colour colour, wsi_align align, double x,
                 double y, const char *text)
{
	cairo_save(cr);
	cairo_translate(cr, x, y);
	cairo_rotate(cr, -M_PI / 2);
	wsi_text_draw(cr, font, colour, align, 0, 0, text);
	cairo_restore(cr);
}

double
wsi_text_middle(wsi_font font, double y)
{
	return y + 0.36 * font.size;
}
