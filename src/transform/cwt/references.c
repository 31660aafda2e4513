/* references.c - the table of published codes whose numbers can be had. */
#include <math.h>

#include "transform/cwt/cwt.h"


/* ---- MNE: a Gaussian of n cycles, cut at five deviations ------------------- */

static double
mne_deviation(const wsi_cwt_scale *scale)
{
	return scale->omega0 / ((2.0 * WSI_PI) * scale->frequency);
}

/* Samples of numpy.arange(0, 5 sigma, 1 / fs). */
static size_t
mne_half(const wsi_cwt *cwt, const wsi_cwt_scale *scale)
{
	return (size_t)ceil(5.0 * mne_deviation(scale) / (1.0 / cwt->fs));
}

static size_t
mne_count(const wsi_cwt *cwt, const wsi_cwt_scale *scale)
{
	return 2 * mne_half(cwt, scale) - 1;
}

static size_t
mne_taps(const wsi_cwt *cwt, const wsi_cwt_scale *scale, size_t count, double *re, double *im)
{
	const double sigma = mne_deviation(scale), f = scale->frequency;
	const size_t middle = count / 2;
	const double turns = scale->omega0;
	const bool zero_mean = scale->response.wavelet.kind == WS_WAVELET_MORLET_ZERO_MEAN;
	const double kappa = zero_mean ? exponential(-0.5 * turns * turns) : 0.0;
	double energy = 0.0;
	for (size_t j = 0; j < count; ++j) {
		const double t = ((double)j - (double)middle) / cwt->fs;
		const double gauss = exponential(-t * t / (2.0 * sigma * sigma));
		double c, s;
		const double turn = f * t;
		gaussian_turn(turn - floor(turn), &c, &s);
		re[j] = (c - kappa) * gauss;
		im[j] = s * gauss;
		energy += re[j] * re[j] + im[j] * im[j];
	}
	const double norm = sqrt(0.5) * sqrt(energy);
	for (size_t j = 0; j < count; ++j) {
		re[j] /= norm;
		im[j] /= norm;
	}
	return middle;
}

/* ---- PyWavelets: differences of an integral that is looked up --------------- */

enum { PYWT_POINTS = 4096 };

/* numpy.linspace(-8, 8, 4096)[1] + 8: what is looked up depends on its last bit. */
static double
pywt_step(void)
{
	return (-8.0 + 16.0 / (PYWT_POINTS - 1)) + 8.0;
}

/* In samples; likewise, so one that is a round number but for the way over the frequency is
 * that. */
static double
pywt_scale(const wsi_cwt *cwt, const wsi_cwt_scale *scale)
{
	const double s = cwt->o.param[1] * cwt->fs / scale->frequency;
	const double round = rint(1024.0 * s) / 1024.0;
	return fabs(s - round) < 1e-13 * s ? round : s;
}

/* Points of the table that a scale takes. */
static size_t
pywt_looked_up(const wsi_cwt *cwt, const wsi_cwt_scale *scale)
{
	const double s = pywt_scale(cwt, scale);
	size_t count = (size_t)ceil(s * 16.0 + 1.0);
	while (count > 1 && (size_t)((double)(count - 1) / (s * pywt_step())) >= PYWT_POINTS)
		--count;
	return count;
}

static size_t
pywt_count(const wsi_cwt *cwt, const wsi_cwt_scale *scale)
{
	return pywt_looked_up(cwt, scale) + 1;
}

static size_t
pywt_taps(const wsi_cwt *cwt, const wsi_cwt_scale *scale, size_t count, double *re, double *im)
{
	const double b = cwt->o.param[0], c = cwt->o.param[1], s = pywt_scale(cwt, scale);
	double sum_re[PYWT_POINTS], sum_im[PYWT_POINTS], a = 0.0, d = 0.0;
	const double norm = 1.0 / sqrt(WSI_PI * b);
	for (int i = 0; i < PYWT_POINTS; ++i) {
		const double t = -8.0 + i * pywt_step(), turn = c * t;
		double cosine, sine;
		gaussian_turn(turn - floor(turn), &cosine, &sine);
		const double gauss = norm * exponential(-t * t / b);
		sum_re[i] = (a += gauss * cosine) * pywt_step();
		sum_im[i] = -(d += gauss * sine) * pywt_step();
	}
	const size_t taken = count - 1;
	const double size = -sqrt(s);
	double last_re = 0.0, last_im = 0.0;
	for (size_t j = 0; j < count; ++j) {
		double now_re = 0.0, now_im = 0.0;
		if (j < taken) {
			const size_t at = (size_t)((double)(taken - 1 - j) / (s * pywt_step()));
			now_re = sum_re[at];
			now_im = sum_im[at];
		}
		re[j] = size * (now_re - last_re);
		im[j] = size * (now_im - last_im);
		last_re = now_re;
		last_im = now_im;
	}
	return taken >= 2 ? (taken - 2) / 2 + 1 : 1;
}

/* ---- Superlets: a Gaussian of c cycles, cut at three deviations ------------------- */

/* One of its cycles is a fifth of a deviation in time. */
#define SUPERLET_CYCLE ((2.0 * WSI_PI) / 5.0)

static size_t
superlet_half(const wsi_cwt *cwt, const wsi_cwt_scale *scale)
{
	/* Half samples are rounded, so cycles must be those that were asked for. */
	const double given = scale->omega0 / SUPERLET_CYCLE, round = rint(1024.0 * given) / 1024.0;
	const double cycles = fabs(given - round) < 1e-12 * given ? round : given;
	const double deviation = cycles / 2.0 * (1.0 / scale->frequency) / 2.5;
	return (size_t)floor(rint(deviation * cwt->fs * 6.0) / 2.0);
}

static size_t
superlet_count(const wsi_cwt *cwt, const wsi_cwt_scale *scale)
{
	return 2 * superlet_half(cwt, scale) + 1;
}

static size_t
superlet_taps(const wsi_cwt *cwt, const wsi_cwt_scale *scale, size_t count, double *re, double *im)
{
	const size_t half = count / 2;
	double sum = 0.0;
	for (size_t j = 0; j < count; ++j) {
		const double k = (double)j - (double)half, turn = scale->frequency * k / cwt->fs;
		const double t = half ? k * 3.0 / (double)half : 0.0;
		const double gauss = exponential(-0.5 * t * t);
		double c, s;
		gaussian_turn(turn - floor(turn), &c, &s);
		re[j] = gauss * c;
		im[j] = gauss * s;
		sum += gauss;
	}
	/* Its power is twice the squared magnitude. */
	const double gain = sqrt(2.0) / sum;
	for (size_t j = 0; j < count; ++j) {
		re[j] *= gain;
		im[j] *= gain;
	}
	return half;
}

/* ---- The table -------------------------------------------------------------- */

static const wsi_cwt_reference references[] = {
	[WS_CWT_REF_NONE] = {
		.o = { .wavelet = WS_WAVELET_MORLET, .norm = WS_NORM_L1,
			.padding = WS_PADDING_REFLECT, .voices = 10 } },
	[WS_CWT_REF_TC] = {
		{ .wavelet = WS_WAVELET_MORLET, .norm = WS_NORM_TC, .padding = WS_PADDING_ZERO,
			.voices = 4 },
		.length = WSI_LENGTH_POWER, .fourier = true },
	[WS_CWT_REF_TC_PYCWT] = {
		{ .wavelet = WS_WAVELET_MORLET_FULL, .norm = WS_NORM_TC, .padding = WS_PADDING_ZERO,
			.voices = 12 },
		.length = WSI_LENGTH_POWER, .fourier = true, .nyquist_negative = true },
	[WS_CWT_REF_SSQUEEZEPY] = {
		{ .wavelet = WS_WAVELET_MORSE, .param = { 60.0, 3.0 }, .norm = WS_NORM_L1,
		  .padding = WS_PADDING_REFLECT, .voices = 32 },
		.length = WSI_LENGTH_SSQUEEZEPY, .gain = WSI_GAIN_SSQUEEZEPY,
			.halve_nyquist = true },
	[WS_CWT_REF_MNE] = {
		{ .wavelet = WS_WAVELET_MORLET_ZERO_MEAN, .param = { 7.0 }, .norm = WS_NORM_L2,
		  .padding = WS_PADDING_ZERO, .voices = 10 },
		.refuses_long = true, .tap_count = mne_count, .make_taps = mne_taps },
	[WS_CWT_REF_PYWT] = {
		{ .wavelet = WS_WAVELET_MORLET_FULL, .param = { 1.5, 1.0 }, .norm = WS_NORM_L2,
		  .padding = WS_PADDING_ZERO, .voices = 10 },
		.tap_count = pywt_count, .make_taps = pywt_taps },
	[WS_CWT_REF_FCWT] = {
		{ .wavelet = WS_WAVELET_MORLET, .param = { 2.0 }, .norm = WS_NORM_L1,
			.padding = WS_PADDING_ZERO,
		  .voices = 10 },
		.length = WSI_LENGTH_POWER, .gain = WSI_GAIN_FCWT, .two_bands = true },
	[WS_CWT_REF_MATLAB] = {
		.o = { .wavelet = WS_WAVELET_MORSE, .param = { 20.0, 3.0 }, .norm = WS_NORM_L1,
		  .padding = WS_PADDING_REFLECT, .voices = 10 } },
	[WS_CWT_REF_DENG] = {
		{ .wavelet = WS_WAVELET_MORLET, .norm = WS_NORM_TC, .padding = WS_PADDING_PERIODIC,
			.voices = 10 },
		.length = WSI_LENGTH_EXACT, .gain = WSI_GAIN_DENG, .unfolded = true },
	[WS_CWT_REF_SUPERLETS] = {
		{ .wavelet = WS_WAVELET_MORLET_FULL, .param = { 3.0 * SUPERLET_CYCLE },
		  .norm = WS_NORM_L1, .padding = WS_PADDING_ZERO, .voices = 10 },
		.cycle = SUPERLET_CYCLE, .tap_count = superlet_count,
		.make_taps = superlet_taps },
};

const wsi_cwt_reference *
wsi_cwt_reference_row(int reference)
{
	const int count = (int)(sizeof references / sizeof *references);
	return reference >= 0 && reference < count ? &references[reference] : NULL;
}
