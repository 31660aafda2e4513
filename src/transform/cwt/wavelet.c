/* wavelet.c - facts of a wavelet: closed formulae for the Morlet family, integrals for the
 * others. */
#include <math.h>

#include "base/status.h"
#include "transform/cwt/cwt.h"

ws_status
wsi_wavelet_make(wsi_wavelet *v, ws_wavelet kind, const double param[2])
{
#define ROW(number, name, form, a, b, both) { number, { a, b } },
	static const struct { ws_wavelet number; double defaults[2]; } rows[] = {
		WSI_WAVELETS(ROW, ROW)
	};
#undef ROW
	size_t i = 0;
	while (i < sizeof rows / sizeof *rows && rows[i].number != kind)
		++i;
	if (i == sizeof rows / sizeof *rows)
		return WSI_FAIL(WS_E_ARG, "there is no wavelet %d", (int)kind);
	if (param[1] != 0.0 && rows[i].defaults[1] == 0.0)
		return WSI_FAIL(WS_E_ARG, "`param[1]` is %g, but this `wavelet` has one parameter: "
		                "leave it 0", param[1]);
	const double a = param[0] != 0.0 ? param[0] : rows[i].defaults[0];
	const double b = param[1] != 0.0 ? param[1] : rows[i].defaults[1];
	const char *needs = wavelet_needs(kind, a, b);
	if (needs)
		return WSI_FAIL(WS_E_ARG, needs, a, b);
	*v = (wsi_wavelet){ .kind = kind, .a = a, .b = b };
	wavelet_settle(v);
	return WS_OK;
}

static bool
is_morlet(const wsi_wavelet *v)
{
	return v->kind <= WS_WAVELET_MORLET_ZERO_MEAN;
}

/* Integrals over both sides, in ln |w|: all factors die away quickly at both ends. */
typedef struct integrals {
	double energy, first, second; /* of the shape's square, times w, times w^2: one side */
	double slope;           /* of the square of the shape's derivative */
} integrals;

bool
wsi_wavelet_is_narrow(const wsi_wavelet *v, double width, double *low, double *high)
{
	wsi_wavelet_band(v, 1e-17, low, high);
	/* A bump's ends are steep. */
	return *low > 0.0 && wavelet_log(*high / *low) < (v->kind == WS_WAVELET_BUMP ? 0.2 : width);
}

/* The same over a band, low .. high, above 0; first and second about the peak. */
static integrals
integrate_band(const wsi_wavelet *v, double low, double high)
{
	enum { STEPS = 1 << 14 };
	integrals s = { .energy = 0.0 };
	const double step = (high - low) / STEPS;
	for (int i = 0; i <= STEPS; ++i) {
		const double w = low + i * step, away = w - v->peak, f = wavelet_shape(v, w);
		const double d = (wavelet_shape(v, w + step) - wavelet_shape(v, w - step)) /
		                 (2.0 * step);
		s.energy += step * f * f;
		s.first += step * away * f * f;
		s.second += step * away * away * f * f;
		s.slope += step * d * d;
	}
	return s;
}

static integrals
integrate(const wsi_wavelet *v)
{
	integrals s = { .energy = 0.0 };
	double low, high;
	const bool narrow = wsi_wavelet_is_narrow(v, 0.05, &low, &high);
	/* The steps below end at e^8. */
	if (narrow || (v->kind != WS_WAVELET_DOG && high > 2000.0))
		return integrate_band(v, low, high);
	const double step = 1.0 / 1024.0;
	for (int side = 1; side >= (wavelet_two_sided(v) ? -1 : 1); side -= 2)
		for (int i = -20 * 1024; i < 8 * 1024; ++i) {
			const double w = side * exponential(i * step), size = fabs(w);
			const double f = wavelet_shape(v, w);
			/* exp(+-h) - 1 would lose digits. */
			const double h = 1e-4;
			const double d = (wavelet_shape(v, w * (1.0 + h)) -
			                  wavelet_shape(v, w * (1.0 - h))) /
			                 (2.0 * h * w);
			s.energy += step * size * f * f;
			s.first += step * size * size * f * f;
			s.second += step * size * size * size * f * f;
			s.slope += step * size * d * d;
		}
	return s;
}

wsi_wavelet_facts
wsi_wavelet_facts_of(const wsi_wavelet *v)
{
	const double a = v->a;
	wsi_wavelet_facts f = { .fourier = v->peak };
	if (is_morlet(v)) {
		/* Of the whole Gaussian, as all who give these figures do.  The square of the one
		 * of zero mean is three, about a, a / 2 and 0. */
		const bool zero_mean = v->kind == WS_WAVELET_MORLET_ZERO_MEAN;
		const double p = zero_mean ? exponential(-a * a) : 0.0;
		const double q = zero_mean ? exponential(-0.75 * a * a) : 0.0;
		const double all = 1.0 - 2.0 * q + p, mean = a * (1.0 - q) / all;
		const double square = a * a * (1.0 - 0.5 * q) / all + 0.5;
		f.energy = sqrt(WSI_PI) * all / (v->at_peak * v->at_peak);
		f.width_time = sqrt(0.5 + 0.5 * q * a * a / all);
		f.width_frequency = zero_mean ? sqrt(square - mean * mean) : sqrt(0.5);
		f.fourier = 0.5 * (a + sqrt(2.0 + a * a));
		f.cone = sqrt(2.0);
	}
	if (is_morlet(v))
		return f;
	const integrals s = integrate(v);
	const double mean = s.first / s.energy;
	f.energy = s.energy;
	f.width_time = sqrt(s.slope / s.energy);
	f.width_frequency = sqrt(s.second / s.energy - mean * mean);
	f.cone = 2.0 * f.width_time;
	if (v->kind == WS_WAVELET_PAUL) {
		f.fourier = 0.5 * (2.0 * a + 1.0);
		f.cone = sqrt(0.5);
	} else if (v->kind == WS_WAVELET_DOG) {
		f.fourier = sqrt(a + 0.5);
		f.cone = sqrt(2.0);
	}
	return f;
}

/* Where the shape falls to eps, between one frequency where it is above it and one where not. */
static double
edge_of(const wsi_wavelet *v, double eps, double inside, double outside)
{
	for (int i = 0; i < 60; ++i) {
		const double w = 0.5 * (inside + outside);
		*(fabs(wavelet_shape(v, w)) > eps ? &inside : &outside) = w;
	}
	return outside;
}

void
wsi_wavelet_band(const wsi_wavelet *v, double eps, double *low, double *high)
{
	double inside = v->peak, outside = 2.0 * v->peak;
	for (; fabs(wavelet_shape(v, outside)) > eps; outside *= 2.0)
		inside = outside;
	*high = edge_of(v, eps, inside, outside);
	if (v->kind == WS_WAVELET_DOG) {
		*low = -*high;
		return;
	}
	outside = wavelet_two_sided(v) ? v->peak - 2.0 * (*high - v->peak) : 0.0;
	*low = edge_of(v, eps, v->peak, outside);
}

/* |integral of the shape times e^{iwt}| / 2 pi over a band. */
static double
size_at(const wsi_wavelet *v, double low, double high, double t)
{
	/* Sums repeat after four times t. */
	const double needed = 4.0 * t * (high - low) / (2.0 * WSI_PI);
	const int nodes = needed > 256.0 ? (int)needed : 256;
	const double step = (high - low) / nodes;
	double re = 0.0, im = 0.0;
	for (int i = 0; i <= nodes; ++i) {
		const double w = low + step * i, turn = w * t / (2.0 * WSI_PI);
		const double f = wavelet_shape(v, w);
		double c, s;
		gaussian_turn(turn - floor(turn), &c, &s);
		re += f * c;
		im += f * s;
	}
	return hypot(re, im) * step / (2.0 * WSI_PI);
}

double
wsi_wavelet_reach(const wsi_wavelet *v, double least)
{
	enum { MOST = 1 << 14 }; /* nodes of a sum */
	if (v->kind == WS_WAVELET_PAUL) { /* m! / (1 - it)^(m + 1) */
		double factorial = exponential(-v->at_peak) / (2.0 * WSI_PI);
		for (double k = 2.0; k <= v->a; ++k)
			factorial *= k;
		return 1.0 + exponential(wavelet_log(factorial / least) / v->a);
	}
	double low, high, reach = 1.0;
	wsi_wavelet_band(v, 1e-17, &low, &high);
	int quiet = 0;
	const double end = MOST * 2.0 * WSI_PI / (4.0 * (high - low));
	for (double t = 1.0; t <= end; t *= 1.18920711500272106672) {
		/* Not only where it happens to be 0. */
		double size = size_at(v, low, high, t);
		size = fmax(size, size_at(v, low, high, 0.96 * t));
		quiet = t * size > least ? 0 : quiet + 1;
		reach = quiet ? reach : 1.19 * t;
		if (quiet == 4)
			return reach;
	}
	return HUGE_VAL;
}
