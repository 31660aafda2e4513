/*
 * half_waves.h - the frequency of a mode from its half waves.
 *
 * A half wave is what lies between two crossings of the mode's mean,
 * interpolated linearly.  A half wave of L samples is taken for a sine of
 * frequency 1/(2 L), and what the energy of its differences exceeds that of
 * such a sine for a third harmonic; weighted with energies, the mean frequency
 * of all half waves is the centroid of the mode's power spectrum.  What lies
 * before the first crossing and after the last is part of a half wave whose length
 * nobody knows.  Where it has the energy that such a part of the whole half wave
 * beside it would have, it has that one's frequency; else it counts as half of a
 * half wave, as in a mode that goes on as its mirror image.
 *
 * Energies are sums over a half wave's samples, in double whatever the type:
 * docs/decisions/0009-mode-frequency.md says in which order, and why so.
 */
#ifndef WSI_MATH_HALF_WAVES_H
#define WSI_MATH_HALF_WAVES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "math/gaussian.h"
#include "math/real.h"

/* Two sums side by side. */
typedef double wsi_pair __attribute__((vector_size(16)));

/* Half waves of similar frequency: 64 bins an octave, from 2^-32 to 1/2
 * cycles a sample.  In turns in two tables, so that neighbours, which are
 * mostly of one bin, do not wait for each other. */
enum { WSI_BINS_OCTAVE = 64, WSI_OCTAVES = 32,
       WSI_HALF_WAVE_BINS = WSI_BINS_OCTAVE * WSI_OCTAVES };

/* The mean is crossed between samples sample - 1 and sample, `part` of the way behind the first. */
typedef struct wsi_crossing {
	double sample, part;
} wsi_crossing;

/* The part of a half wave at an end of the row, and the whole half wave beside it. */
typedef struct wsi_wave_end {
	wsi_crossing at, beside; /* the crossing between the two, and the whole one's other */
	double energy, slopes, whole_energy, whole_slopes;
} wsi_wave_end;

typedef struct wsi_half_waves {
	size_t crossings;
	wsi_wave_end ends[2];   /* with one crossing nothing is beside it; with none, unset */
	double energy;          /* sum of (scale x - mean)^2 */
	double squares;         /* sum of the squared energies of all half waves */
	int first, end;         /* all bins with a half wave are first .. end - 1 */
	/* Sum of energies, and of energies times frequencies.  Zeros at first, in bins that a
	 * row can have (half_waves_begin). */
	wsi_pair bins[2][WSI_HALF_WAVE_BINS];
} wsi_half_waves;

/* The frequency of a half wave, in cycles a sample: length in samples, slopes the sum
 * of its squared differences.  0.5 at most; one of less than two samples has no third
 * harmonic that the sampling could show.
 *
 * The differences of a sine of frequency w a sample have 4 sin(w/2)^2 times its
 * energy.  A third harmonic with the share s of the energy adds 8 s to that ratio
 * where the sine alone has 1 (less where there are few samples: hence w^2/2), and
 * 2 s to the centroid: a quarter.  Faster harmonics move the centroid by less for
 * the same slopes, so that it grows by y / (1 + y) instead of y. */
WSI_FN double
half_wave_frequency(double length, double energy, double slopes)
{
	const double f = 0.5 / (length > 1.0 ? length : 1.0);
	/* 1 / (4 sin(w/2)^2) to 1e-4, w = pi / length. */
	const double per_w2 = length * length * 0.10132118364233778;
	const double w2 = f * f * 39.47841760435743;
	const double sine = per_w2 + (0.083333333333333333 + w2 *
	                              (1.0 / 240.0 + w2 * (1.0 / 6048.0)));
	double excess = (0.25 + 0.125 * w2) * (slopes * sine - energy);
	excess = excess > 0.0 && length >= 2.0 ? excess : 0.0;
	const double whole = energy + excess;
	return f + f * (excess / (whole > 0.0 ? whole : 1.0));
}

/* The length of the half wave of which a mirror image at the row's end is the other
 * half; so many samples lie between the crossing and the end sample, plus one. */
WSI_FN double
end_length(double samples)
{
	return 2.0 * samples - 1.0;
}

/* The bin of frequency f, which is not NaN. */
WSI_FN int
half_wave_bin(double f)
{
	const double low = 2.3283064365386963e-10; /* 2^-32 */
	uint64_t bits, first;
	f = f < low ? low : f;
	memcpy(&bits, &f, sizeof bits);
	memcpy(&first, &low, sizeof first);
	const int c = (int)((bits >> 46) - (first >> 46));
	return c < WSI_HALF_WAVE_BINS ? c : WSI_HALF_WAVE_BINS - 1;
}

/* For a row of n samples, none of whose half waves is longer than 2 n + 1. */
WSI_FN void
half_waves_begin(wsi_half_waves *h, size_t n)
{
	const int lowest = half_wave_bin(0.2 / (double)n);
	h->crossings = 0;
	memset(h->ends, 0, sizeof h->ends);
	h->energy = h->squares = 0.0;
	h->first = WSI_HALF_WAVE_BINS;
	h->end = 0;
	for (int i = 0; i < 2; ++i)
		memset(&h->bins[i][lowest], 0,
		       (size_t)(WSI_HALF_WAVE_BINS - lowest) * sizeof h->bins[i][0]);
}

/* The i-th half wave of the row, of bin c. */
WSI_FN void
half_wave_add(wsi_half_waves *h, size_t i, int c, double energy, double frequency)
{
	h->bins[i & 1][c] += (wsi_pair){ energy, energy * frequency };
}

/* Half waves of bins low .. high have been added. */
WSI_FN void
half_waves_reach(wsi_half_waves *h, int low, int high)
{
	h->first = low < h->first ? low : h->first;
	h->end = high < h->end ? h->end : high + 1;
}

/* The sum of sin^2 over n samples, one apart, of which the first lies `from` behind a crossing of a
 * sine with half waves of `length` >= 2 samples. */
WSI_FN double
sine_energy(double n, double from, double length)
{
	const double turn = 0.5 / length, middle = turn * (2.0 * from + n - 1.0), all = turn * n;
	double cosine, sine, of_all, of_one, other;
	gaussian_turn(middle - floor(middle), &cosine, &sine);
	gaussian_turn(all - floor(all), &other, &of_all);
	gaussian_turn(turn, &other, &of_one);
	return 0.5 * (n - cosine * of_all / of_one);
}

/* How far an end of a row of n samples goes on as the whole half wave beside it does, 1: as that,
 * 0: not at all.  By its energy: that of a sine of the whole one's length and energy, cut where the
 * row ends, to 5 % and no more than 20 %. */
WSI_FN double
end_goes_on(const wsi_wave_end *e, bool last, double n)
{
	const double toward = last ? 1.0 - e->at.part : e->at.part;
	const double samples = last ? n - e->at.sample : e->at.sample;
	const double before = e->beside.sample - e->at.sample;
	const double between = before + (e->beside.part - e->at.part);
	const double length = between < 0.0 ? -between : between;
	if (!(length >= 2.0 && samples + toward <= length + 2.0))
		return 0.0;
	const double whole = sine_energy(before < 0.0 ? -before : before, 1.0 - toward, length);
	const double want = e->whole_energy * sine_energy(samples, toward, length);
	const double have = e->energy * whole;
	const double apart = want > have ? want - have : have - want;
	const double share = apart / (want > have ? want : have);
	return share <= 0.05 ? 1.0 : share < 0.2 ? (0.2 - share) / 0.15 : 0.0;
}

/* Adds what lies beyond the first and the last crossing of a row of n samples. */
WSI_FN void
half_waves_end(wsi_half_waves *h, double n)
{
	for (int last = 0; last < 2; ++last) {
		const wsi_wave_end *e = &h->ends[last];
		const double samples = last ? n - e->at.sample - e->at.part + 1.0
		                       : e->at.sample + e->at.part;
		const double mirrored = half_wave_frequency(end_length(samples), e->energy,
		                                            e->slopes);
		const double goes_on = h->crossings > 1 ? end_goes_on(e, last, n) : 0.0;
		const int c = half_wave_bin(mirrored);
		half_wave_add(h, 0, c, (1.0 - goes_on) * e->energy, mirrored);
		half_waves_reach(h, c, c);
		h->squares += e->energy * e->energy;
		if (!(goes_on > 0.0))
			continue;
		const double between = (e->beside.sample - e->at.sample) +
		                       (e->beside.part - e->at.part);
		const double f = half_wave_frequency(between < 0.0 ? -between : between,
		                                     e->whole_energy, e->whole_slopes);
		const int beside = half_wave_bin(f);
		half_wave_add(h, 0, beside, goes_on * e->energy, f);
		half_waves_reach(h, beside, beside);
	}
}

#endif
