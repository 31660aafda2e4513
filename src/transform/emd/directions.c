/*
 * directions.c - the directions on which multivariate EMD projects.
 *
 * Opposite directions have the same envelopes, upper and lower exchanged: half
 * a sphere is enough.  How even each set is: docs/decisions/0008-memd.md.
 */
#include "transform/emd/directions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "math/quasi.h"

/* ---- Points of the unit cube ---------------------------------------------------- */

/* The first n primes. */
static void
list_primes(uint32_t *primes, size_t n)
{
	size_t found = 0;
	for (uint32_t p = 2; found < n; ++p) {
		bool divides = false;
		for (size_t i = 0; i < found && primes[i] * primes[i] <= p && !divides; ++i)
			divides = p % primes[i] == 0;
		if (!divides)
			primes[found++] = p;
	}
}

/* A permutation of 0 .. base - 1 for a digit of a base: Fisher & Yates on
 * Philox.  The same in every run. */
static void
permute(uint32_t *p, uint32_t base, uint32_t digit)
{
	for (uint32_t i = 0; i < base; ++i)
		p[i] = i;
	for (uint32_t i = base - 1; i > 0; --i) {
		uint64_t bits[2];
		gaussian_bits(0, base, digit, i, bits);
		const uint32_t k = (uint32_t)(bits[0] % (i + 1)), swap = p[i];
		p[i] = p[k];
		p[k] = swap;
	}
}

/* Radical inverses of 0 .. n - 1 in a base whose digits, leading zeros too, are
 * permuted: as even as before, without the ramps of large bases. */
static void
scrambled_inverses(double *x, size_t stride, size_t n, uint32_t base, uint32_t *permutation)
{
	double place = 1.0;
	uint64_t power = 1;
	for (size_t i = 0; i < n; ++i)
		x[i * stride] = 0.0;
	for (uint32_t digit = 0; place > 0x1p-53; ++digit) {
		permute(permutation, base, digit);
		place /= base;
		for (size_t i = 0; i < n; ++i)
			x[i * stride] += place * permutation[power ? i / power % base : 0];
		/* Zero: past all digits of any index. */
		power = power && power < (uint64_t)1 << 31 ? power * base : 0;
	}
}

/* ---- From the cube to the sphere --------------------------------------------------- */

/* Height z and turn of a point of the sphere: equal areas of the square have
 * equal areas there (Archimedes). */
static void
sphere_point(double *v, double z, double turn)
{
	const double radius = sqrt(fmax(0.0, 1.0 - z * z));
	double cosine, sine;
	gaussian_turn(turn, &cosine, &sine);
	v[0] = radius * cosine;
	v[1] = radius * sine;
	v[2] = z;
}

/* False: its length is no number above 0. */
static bool
normalise(double *v, size_t n)
{
	double largest = 0.0, sum = 0.0;
	for (size_t i = 0; i < n; ++i)
		largest = fabs(v[i]) > largest ? fabs(v[i]) : largest;
	if (!(largest > 0.0 && largest < HUGE_VAL))
		return false;
	for (size_t i = 0; i < n; ++i) {
		if (!isfinite(v[i]))
			return false;
		v[i] /= largest;
		sum = fma(v[i], v[i], sum);
	}
	for (size_t i = 0; i < n; ++i)
		v[i] /= sqrt(sum);
	return true;
}

/* ---- The sets -------------------------------------------------------------------------- */

/* memd.m, n counted from 1.  Its angles give this vector; three channels are a case of their
 * own; its list of primes has 149 twice.  plain: neither. */
static void
hammersley(double *v, size_t n, size_t channels, size_t directions, const uint32_t *primes,
           bool plain)
{
	const double u = ((double)n + 0.5) / (double)directions;
	if (channels == 3 && !plain) {
		const double z = 2.0 * u - 1.0;
		sphere_point(v, z > 1.0 ? 1.0 : z, radical_inverse((uint32_t)n, 2));
		return;
	}
	v[0] = 2.0 * u - 1.0;
	for (size_t c = 1; c < channels; ++c) {
		const size_t prime = c - 1 < 35 || plain ? c - 1 : c - 2;
		v[c] = 2.0 * radical_inverse((uint32_t)n, primes[prime]) - 1.0;
	}
	v[channels - 1] = fabs(v[channels - 1]);
	/* Where both are zero, of two channels and three directions, so is the angle. */
	if (channels == 2 && v[0] == 0.0 && v[1] == 0.0)
		v[0] = 1.0;
}

static void
gaussian(double *v, size_t n, size_t channels, uint64_t seed)
{
	for (size_t c = 0; c < channels; c += 2) {
		double z[2];
		gaussian_pair(seed, (uint32_t)channels, (uint32_t)n, c / 2, z);
		for (size_t i = 0; i < 2 && c + i < channels; ++i)
			v[c + i] = z[i];
	}
}

/* Equal angles on the half circle, equal areas on the half sphere, and from four
 * channels on a scrambled Hammersley set of normal vectors. */
static ws_status
scrambled(double *vectors, size_t channels, size_t directions, const uint32_t *primes,
          wsi_progress *progress)
{
	for (size_t d = 0; d < directions && channels <= 3; ++d) {
		const double u = ((double)d + 0.5) / (double)directions;
		double *v = vectors + d * channels;
		if (channels == 1)
			v[0] = 1.0;
		else if (channels == 2)
			gaussian_turn(0.5 * u, &v[0], &v[1]);
		else
			sphere_point(v, u, radical_inverse((uint32_t)d, 2));
	}
	if (channels <= 3)
		return WS_OK;
	uint32_t *permutation = malloc(primes[channels - 2] * sizeof *permutation);
	if (!permutation)
		return WSI_FAIL(WS_E_NOMEM, "no memory for a plan");
	for (size_t c = 0; c < channels; ++c) {
		double *x = vectors + c;
		if (!wsi_goes_on(progress, 0)) {
			free(permutation);
			return WSI_FAIL(WS_E_CANCELLED, "cancelled");
		}
		if (c > 0)
			scrambled_inverses(x, channels, directions, primes[c - 1], permutation);
		for (size_t d = 0; d < directions; ++d, x += channels) {
			const double u = c > 0 ? *x : ((double)d + 0.5) / (double)directions;
			*x = normal_quantile(fmin(fmax(u, 0x1p-54), 1.0 - 0x1p-53));
		}
	}
	free(permutation);
	return WS_OK;
}

static ws_status
make_set(double *vectors, const wsi_params *p, const uint32_t *primes, wsi_progress *progress)
{
	const size_t directions = (size_t)p->o.directions, channels = p->together;
	if (p->o.direction_set == WS_DIRECTIONS_GIVEN)
		memcpy(vectors, p->o.direction_vectors, directions * channels * sizeof *vectors);
	else if (p->o.direction_set == WS_DIRECTIONS_SCRAMBLED)
		WSI_TRY(scrambled(vectors, channels, directions, primes, progress));
	for (size_t d = 0; d < directions; ++d) {
		double *v = vectors + d * channels;
		if (!wsi_goes_on(progress, 0))
			return WSI_FAIL(WS_E_CANCELLED, "cancelled");
		if (p->o.direction_set == WS_DIRECTIONS_HAMMERSLEY)
			hammersley(v, d + 1, channels, directions, primes, p->plain_hammersley);
		else if (p->o.direction_set == WS_DIRECTIONS_GAUSSIAN)
			gaussian(v, d, channels, p->o.seed);
		if (!normalise(v, channels))
			return WSI_FAIL(WS_E_ARG, "direction %zu is zero or not finite", WSI_NO(d));
	}
	return WS_OK;
}

size_t
wsi_directions_bytes(const wsi_params *p)
{
	return (size_t)p->o.directions * p->together * sizeof(double);
}

ws_status
wsi_directions_make(double **out, const wsi_params *p, wsi_progress *progress)
{
	const size_t directions = (size_t)p->o.directions, channels = p->together;
	*out = NULL;
	double *vectors = malloc(wsi_directions_bytes(p));
	uint32_t *primes = malloc(channels * sizeof *primes);
	ws_status status = WS_OK;
	if (!vectors || !primes)
		status = WSI_FAIL(WS_E_NOMEM, "no memory for %zu directions", directions);
	if (status == WS_OK) {
		list_primes(primes, channels);
		status = make_set(vectors, p, primes, progress);
	}
	free(primes);
	if (status != WS_OK)
		free(vectors);
	else
		*out = vectors;
	return status;
}
