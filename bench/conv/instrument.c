/*
 * instrument.c - what compensation, sample padding and accumulators buy: a signal whose responses
 * are known in closed form, recorded by an instrument with errors, convolved in each way.
 *
 *     instrument FILE.png
 *
 * Prints the tables of docs/validation.md and draws them.
 *
 * The signal is a sum of 40 tones from 0.01 to 0.45 of the sampling rate, masks are Gabor's (w =
 * 5), complex; what a response should be is the sum over tones of amplitude times the mask's
 * spectrum at that tone, as of a signal that was never sampled.
 *
 *   padding        samples without errors: what lies between them is lost to masks of small scale
 *   compensation   gain 0.9 f^-0.02, 0.2 samples late, aperture jitter of 0.06 samples rms, 12 bits
 *   bits           the same instrument, 6 to 16 bits, with and without jitter, all made good
 *   arithmetic     samples and masks in f32: kinds of sums against f64
 *
 * What an error leaves is told twice: what it does to the mean (the complex gain of the response
 * against what it should be, which compensation can mend) and the rest (rms, which it cannot).
 */
#include "bench.h"

#include <cairo.h>
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plot/draw.h"
#include "plot/surface.h"
#include "plot/text.h"
#include "wavesift/conv.h"

#define FS      1000.0
#define SAMPLES (1 << 16)
#define TONES   40
#define SCALES  24
#define LOW     1.6             /* samples: 0.5 of the sampling rate, by w = 5 */
#define HIGH    80.0
#define EDGE    2000            /* samples that are left out at either end */
#define EVERY   7               /* of the others, one in so many is looked at */
#define LOOKED  ((SAMPLES - 2 * EDGE) / EVERY)

static ws_ctx *ctx;
static double frequency[TONES], phase[TONES]; /* cycles a sample; turns */

/* ---- The signal ----------------------------------------------------------------------------- */

static void
make_tones(void)
{
	double noise[TONES];
	bench_white(WS_F64, TONES, noise);
	for (int i = 0; i < TONES; ++i) {
		frequency[i] = 0.01 * pow(45.0, (double)i / (TONES - 1));
		phase[i] = noise[i];
	}
}

static double
scale_of(int i)
{
	return LOW * pow(HIGH / LOW, (double)i / (SCALES - 1));
}

/* What an instrument does to a tone of so many cycles a sample. */
typedef struct instrument {
	double gain, power;     /* gain f^power, f in Hz */
	double late, jitter;    /* samples; rms */
	int bits;               /* of its converter; 0: as many as it takes */
} instrument;

static double
gain_of(const instrument *a, double f)
{
	return a->gain > 0 ? a->gain * pow(f * FS, a->power) : 1;
}

static void
record(const instrument *a, double *x)
{
	double *moved = bench_alloc(SAMPLES * sizeof *moved), most = 0;
	bench_white(WS_F64, SAMPLES, moved);
	for (size_t n = 0; n < SAMPLES; ++n) {
		const double t = (double)n + a->late + a->jitter * moved[n];
		x[n] = 0;
		for (int i = 0; i < TONES; ++i)
			x[n] += gain_of(a, frequency[i]) *
			        sin(2 * M_PI * (frequency[i] * t + phase[i]));
		most = fmax(most, fabs(x[n]));
	}
	const double step = 2 * most / pow(2, a->bits);
	for (size_t n = 0; a->bits && n < SAMPLES; ++n)
		x[n] = step * (floor(x[n] / step) + 0.5);
	free(moved);
}

/* What responses should be: the mask is s^-1/2 exp(-t^2 / 2) exp(5 i t), t = x / s, the response
 * the integral of signal times mask. */
static void
truth(int scale, double complex *y)
{
	const double s = scale_of(scale);
	double complex c[TONES][2];
	for (int i = 0; i < TONES; ++i)
		for (int sign = 0; sign < 2; ++sign) {
			const double w = 5 + (sign ? -1 : 1) * 2 * M_PI * frequency[i] * s;
			c[i][sign] = sqrt(2 * M_PI * s) * exp(-w * w / 2) * (sign ? -1 : 1) / 2 *
			             -I;
		}
	for (size_t k = 0; k < LOOKED; ++k) {
		y[k] = 0;
		for (int i = 0; i < TONES; ++i) {
			const double turns = frequency[i] * (double)(EDGE + k * EVERY) + phase[i];
			const double complex e = cexp(2 * M_PI * I * (turns - floor(turns)));
			y[k] += c[i][0] * e + c[i][1] * conj(e);
		}
	}
}

/* ---- Responses ------------------------------------------------------------------------------ */

/* Ways of one signal to its responses. */
typedef struct way {
	const char *name;
	ws_conv_opts o;
	bool narrow;            /* in f32 */
} way;

/* Samples of responses that are looked at, [scale][LOOKED]. */
static void
respond(const way *w, const double *x, double complex *y)
{
	ws_conv_opts o = w->o;
	const int factor = o.oversample > 1 ? o.oversample : 1;
	ws_ratio scales[SCALES];
	for (int i = 0; i < SCALES; ++i)
		scales[i] = (ws_ratio){ (int64_t)(scale_of(i) * (1 << 20) * factor), 1 << 20 };
	o.size = sizeof o;
	o.tag = WS_TAG_CONV;
	o.mask_formula = WS_MASK_GABOR;
	o.scales = scales;
	o.scale_count = SCALES;
	o.decimate = factor;
	o.method = WS_CONV_DIRECT;
	const ws_shape shape = { .size = sizeof shape, .channels = 1, .samples = SAMPLES, .fs = FS,
		.type = w->narrow ? WS_F32 : WS_F64 };
	ws_plan *plan;
	if (ws_plan_create(&plan, ctx, "conv", &shape, &o) != WS_OK)
		bench_die("%s", ws_error_detail());
	const size_t size = w->narrow ? 4 : 8;
	char *samples = bench_alloc(SAMPLES * size), *z = bench_alloc(SAMPLES * SCALES * 2 * size);
	for (size_t n = 0; n < SAMPLES; ++n)
		if (w->narrow)
			((float *)samples)[n] = (float)x[n];
		else
			((double *)samples)[n] = x[n];
	void *workspace = bench_alloc(ws_plan_workspace(plan) + 64);
	const ws_buffer buffers[WS_CONV_ARRAYS] = { [WS_CONV_RESPONSES] = { z, { 0 } } };
	const ws_io io = { .size = sizeof io, .x = samples, .arrays = buffers,
		.n_arrays = WS_CONV_ARRAYS };
	if (ws_execute(plan, &io, workspace) != WS_OK)
		bench_die("%s", ws_error_detail());
	for (size_t i = 0; i < SCALES; ++i)
		for (size_t k = 0; k < LOOKED; ++k) {
			const size_t at = 2 * (i * SAMPLES + EDGE + k * EVERY);
			/* Of R times as many samples, by a mask of norm R^-1/2. */
			y[i * LOOKED + k] = (w->narrow ? ((float *)z)[at] + I * ((float *)z)[at + 1]
				: ((double *)z)[at] + I * ((double *)z)[at + 1]) / sqrt(factor);
		}
	free(samples);
	free(z);
	free(workspace);
	ws_plan_destroy(plan);
}

/* Errors of the responses at each scale, relative to what they should be. */
typedef struct errors {
	double all[SCALES];     /* rms */
	double mean[SCALES];    /* |gain - 1| */
	double rest[SCALES];    /* rms, without the gain */
} errors;

static void
compare(const double complex *y, const double complex *want, errors *e)
{
	for (int i = 0; i < SCALES; ++i, y += LOOKED, want += LOOKED) {
		double complex both = 0;
		double own = 0, off = 0, rest = 0;
		for (size_t k = 0; k < LOOKED; ++k) {
			both += y[k] * conj(want[k]);
			own += creal(want[k] * conj(want[k]));
		}
		const double complex gain = both / own;
		for (size_t k = 0; k < LOOKED; ++k) {
			const double complex d = y[k] - want[k], r = y[k] - gain * want[k];
			off += creal(d * conj(d));
			rest += creal(r * conj(r));
		}
		e->all[i] = sqrt(off / own);
		e->mean[i] = cabs(gain - 1);
		e->rest[i] = sqrt(rest / own);
	}
}

/* ---- Panels --------------------------------------------------------------------------------- */

#define MOST_LINES 9

typedef struct line {
	const char *name;
	double value[SCALES];
} line;

typedef struct panel {
	const char *title, *tells;
	int lines;
	line line[MOST_LINES];
	double floor;           /* of its axis, dB */
} panel;

static void
add(panel *p, const char *name, const double *value)
{
	line *l = &p->line[p->lines++];
	l->name = name;
	memcpy(l->value, value, sizeof l->value);
}

static double complex *want, *got;

static void
wanted(void)
{
	want = bench_alloc(SCALES * LOOKED * sizeof *want);
	got = bench_alloc(SCALES * LOOKED * sizeof *got);
	for (int i = 0; i < SCALES; ++i)
		truth(i, want + (size_t)i * LOOKED);
}

static errors
errors_of(const way *w, const double *x)
{
	errors e;
	respond(w, x, got);
	compare(got, want, &e);
	return e;
}

static void
do_padding(panel *p, double *x)
{
	static const way ways[] = {
		{ .name = "the samples alone" },
		{ .name = "2 x, linear", { .oversample = 2, .interpolation = WS_INTERPOLATE_LINEAR } },
		{ .name = "4 x, linear", { .oversample = 4, .interpolation = WS_INTERPOLATE_LINEAR } },
		{ .name = "2 x, cubic", { .oversample = 2, .interpolation = WS_INTERPOLATE_CUBIC } },
		{ .name = "4 x, cubic", { .oversample = 4, .interpolation = WS_INTERPOLATE_CUBIC } },
		{ .name = "2 x, band-limited", { .oversample = 2 } },
		{ .name = "4 x, band-limited", { .oversample = 4 } },
		{ .name = "4 x, autoregressive",
		  { .oversample = 4, .interpolation = WS_INTERPOLATE_AUTOREGRESSIVE } },
	};
	*p = (panel){ .title = "Sample padding", .floor = -180,
		.tells = "error (rms, dB), of samples without errors" };
	record(&(instrument){ 0 }, x);
	for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i)
		add(p, ways[i].name, errors_of(&ways[i], x).all);
}

/* Names follow each other: each has those before it, too. */
static void
do_compensation(panel *mean, panel *rest, double *x)
{
	const instrument a = { .gain = 0.9, .power = -0.02, .late = 0.2, .jitter = 0.06,
		.bits = 12 };
	way w = { .o = { .oversample = 4 } };
	errors e;
	*mean = (panel){ .title = "Compensation: what the mean is off by", .floor = -80,
		.tells = "|gain - 1| (dB)" };
	*rest = (panel){ .title = "Compensation: what is left", .floor = -80,
		.tells = "the rest (rms, dB), which no mask can mend" };
	record(&a, x);
	e = errors_of(&w, x);
	add(mean, "nothing made good", e.mean);
	add(rest, "nothing made good", e.rest);
	snprintf(w.o.amplitude_error, sizeof w.o.amplitude_error, "frequency^-0.02:0.9");
	e = errors_of(&w, x);
	add(mean, "+ amplitude", e.mean);
	snprintf(w.o.timing_error, sizeof w.o.timing_error, "%.17g", 0.2 / FS);
	e = errors_of(&w, x);
	add(mean, "+ timing", e.mean);
	snprintf(w.o.timing_jitter, sizeof w.o.timing_jitter, "%.17g", 0.06 / FS);
	e = errors_of(&w, x);
	add(mean, "+ jitter", e.mean);
	add(rest, "all made good", e.rest);
}

static void
do_bits(panel *p, double *x)
{
	static const struct { const char *name; int bits; double jitter; } kinds[] = {
		{ "6 bits", 6, 0 }, { "8 bits", 8, 0 }, { "12 bits", 12, 0 }, { "16 bits", 16, 0 },
		{ "12 bits, jitter 0.002", 12, 0.002 }, { "12 bits, jitter 0.06", 12, 0.06 },
	};
	const way w = { .o = { .oversample = 4 } };
	*p = (panel){ .title = "Quantisation and aperture jitter", .floor = -120,
		.tells = "error (rms, dB); jitter in samples" };
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
		record(&(instrument){ .bits = kinds[i].bits, .jitter = kinds[i].jitter }, x);
		add(p, kinds[i].name, errors_of(&w, x).all);
	}
}

/* Against sums in f64 of the same rounded samples, that samples' own rounding is not counted. */
static void
do_arithmetic(panel *p, double *x)
{
	static const way ways[] = {
		{ "f32", { .sums = WS_SUMS_PLAIN }, true },
		{ "f32, 2 accumulators", { .accumulators = 2 }, true },
		{ "f32, 4 accumulators", { .accumulators = 4 }, true },
		{ "f32, compensated", { .sums = WS_SUMS_COMPENSATED }, true },
		{ "f32, sums in f64", { .sums = WS_SUMS_F64 }, true },
		{ "f16, sums in f32", { .narrow = WS_NARROW_F16 }, true },
		{ "bf16, sums in f32", { .narrow = WS_NARROW_BF16 }, true },
	};
	const way exact = { .name = "f64" };
	errors e;
	*p = (panel){ .title = "Arithmetic", .floor = -160,
		.tells = "error (rms, dB) against f64" };
	record(&(instrument){ 0 }, x);
	/* A level of ten times the signal, as sensors have. */
	for (size_t n = 0; n < SAMPLES; ++n)
		x[n] = (float)(x[n] + 100.0);
	double complex *reference = bench_alloc(SCALES * LOOKED * sizeof *reference);
	respond(&exact, x, reference);
	for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
		respond(&ways[i], x, got);
		compare(got, reference, &e);
		add(p, ways[i].name, e.all);
	}
	free(reference);
}

/* ---- Table ---------------------------------------------------------------------------------- */

static double
decibels(double v)
{
	return 20 * log10(fmax(v, 1e-15));
}

static void
tell(const panel *p)
{
	static const int at[] = { 0, 3, 6, 12, SCALES - 1 };
	printf("\n%s: %s\n\n| |", p->title, p->tells);
	for (size_t k = 0; k < sizeof at / sizeof *at; ++k)
		printf(" scale %.3g (%.3g Hz) |", scale_of(at[k]),
		       5 * FS / (2 * M_PI * scale_of(at[k])));
	printf(" rms of all |\n|---|---|---|---|---|---|---|\n");
	for (int i = 0; i < p->lines; ++i) {
		double sum = 0;
		printf("| %s |", p->line[i].name);
		for (size_t k = 0; k < sizeof at / sizeof *at; ++k)
			printf(" %.1f |", decibels(p->line[i].value[at[k]]));
		for (int k = 0; k < SCALES; ++k)
			sum += p->line[i].value[k] * p->line[i].value[k];
		printf(" %.1f |\n", decibels(sqrt(sum / SCALES)));
	}
}

/* ---- Picture -------------------------------------------------------------------------------- */

#define WIDE    330.0
#define HIGH_OF 190.0
#define LEFT    64.0
#define LEGEND  128.0
#define STEP_X  (WIDE + LEGEND + 52)
#define STEP_Y  (HIGH_OF + 78)

static void
draw_panel(cairo_t *cr, const panel *p, double x, double y)
{
	static const wsi_colour colours[] = WSI_MODES;
	const wsi_box box = { x, y, WIDE, HIGH_OF };
	wsi_axis across, up;
	wsi_axis_log(&across, LOW, HIGH, 8);
	wsi_axis_ticks(&up, p->floor, 0, 7);
	up.lo = p->floor;
	up.hi = 6;
	wsi_draw_grid(cr, &across, &box);
	wsi_draw_value_axis(cr, &up, &box, true);
	wsi_draw_bottom_axis(cr, &across, &box);
	wsi_text_draw(cr, WSI_FONT_HEAD, WSI_INK, WSI_LEFT, x, y - 20, p->title);
	wsi_text_draw(cr, WSI_FONT_SMALL, WSI_GREY, WSI_LEFT, x, y - 7, p->tells);
	wsi_text_draw(cr, WSI_FONT_SMALL, WSI_GREY, WSI_CENTRE, x + WIDE / 2,
	              y + HIGH_OF + WSI_AXIS_TITLE, "scale (samples)");
	for (int i = 0; i < p->lines; ++i) {
		const double t = p->lines > 1 ? 6.0 * i / (p->lines - 1) : 1;
		const int k = t < 5 ? (int)t : 5;
		const wsi_colour a = colours[k], b = colours[k + 1];
		const wsi_colour c = { a.r + (t - k) * (b.r - a.r), a.g + (t - k) * (b.g - a.g),
			a.b + (t - k) * (b.b - a.b) };
		cairo_save(cr);
		cairo_rectangle(cr, box.x, box.y, box.width, box.height);
		cairo_clip(cr);
		wsi_draw_colour(cr, c);
		cairo_set_line_width(cr, WSI_BOLD_LINE);
		cairo_new_path(cr);
		for (int s = 0; s < SCALES; ++s)
			cairo_line_to(cr, x + WIDE * wsi_axis_place(&across, log10(scale_of(s))),
			              wsi_draw_y(&up, &box, decibels(p->line[i].value[s])));
		cairo_stroke(cr);
		cairo_restore(cr);
		wsi_draw_colour(cr, c);
		cairo_rectangle(cr, x + WIDE + 10, y + 8 + 16 * i, 12, 3);
		cairo_fill(cr);
		wsi_text_draw(cr, WSI_FONT_SMALL, WSI_INK, WSI_LEFT, x + WIDE + 28, y + 13 + 16 * i,
		              p->line[i].name);
	}
}

static void
draw(const panel *p, int panels, const char *path)
{
	const double width = LEFT + 2 * STEP_X, height = WSI_HEAD + 20 + STEP_Y * ((panels + 1) / 2);
	const char *title = "What an instrument's errors leave of responses, and what making them good "
	                    "buys";
	wsi_surface *surface;
	wsi_sheet sheet = { .path = path };
	if (wsi_surface_open(&surface, &sheet, width, height, title) != WS_OK)
		bench_die("%s", ws_error_detail());
	cairo_t *cr = wsi_surface_cairo(surface);
	wsi_draw_title(cr, width, title, "40 tones from 0.01 to 0.45 of the sampling rate, Gabor masks, "
	               "against the response of the signal that was never sampled", "");
	for (int i = 0; i < panels; ++i)
		draw_panel(cr, &p[i], LEFT + i % 2 * STEP_X, WSI_HEAD + 22 + i / 2 * STEP_Y);
	if (wsi_sheet_place(&sheet, wsi_surface_end(surface, WS_OK)) != WS_OK)
		bench_die("%s", ws_error_detail());
}

int
main(int argc, char **argv)
{
	static panel panels[5];
	const ws_ctx_opts c = { .size = sizeof c, .device = "cpu" };
	if (argc != 2)
		bench_die("usage: instrument FILE.png");
	if (wsi_sheet_check(argv[1]) != WS_OK || ws_ctx_create(&ctx, &c) != WS_OK)
		bench_die("%s", ws_error_detail());
	double *x = bench_alloc(SAMPLES * sizeof *x);
	make_tones();
	wanted();
	do_padding(&panels[0], x);
	do_compensation(&panels[1], &panels[2], x);
	do_bits(&panels[3], x);
	do_arithmetic(&panels[4], x);
	for (int i = 0; i < 5; ++i)
		tell(&panels[i]);
	draw(panels, 5, argv[1]);
	free(x);
	free(want);
	free(got);
	ws_ctx_destroy(ctx);
	return 0;
}
