/*
 * half_waves_simd.h - template: slots sum_and_peak and half_waves.  Twin:
 * ops/ref/half_waves_ref.h.
 *
 * Word by word (64 samples): offsets from the mean, their squares, the squares
 * of their differences, and a bit for each crossing, in loops that are
 * vectors.  Words without a crossing are summed by halves; in the others sums
 * run through runs of 8 samples, so that the sum up to any crossing is one
 * addition.  Reads x once.
 */
#ifndef WSI_HALF_WAVES_SIMD_ONCE
#define WSI_HALF_WAVES_SIMD_ONCE

/* In double whatever the type: this part is built once, with that of f64. */
_Static_assert(REAL_BITS == 64, "f64 comes first");

/* Eight samples, in as many vectors of the machine as that takes. */
typedef double wave_eight __attribute__((vector_size(64)));

/* Offsets of a word from the mean: sample i in d[8 + i], the one before the word
 * in d[7], 0 beyond the row. */
typedef struct wave_word {
	double d[8 + WSI_WORD];
} wave_word;

/* Crossings are collected and then evaluated together.  Entry 0 is the last crossing that
 * was evaluated.  Crossing k lies part[k] after the sample before sample[k]. */
enum { WAVES_WAIT = 256 };

typedef struct wave_queue {
	int n;
	bool first;             /* entry 0 is the row's start, no crossing */
	double sample[1 + WAVES_WAIT]; /* the first sample behind the crossing */
	double part[1 + WAVES_WAIT];   /* place of the crossing between two samples */
	double energy[1 + WAVES_WAIT]; /* since the crossing before */
	double slopes[1 + WAVES_WAIT];
	wsi_pair open;          /* energy and slopes since the last crossing */
} wave_queue;

/* v[0..7] by halves.  A vector by value would be a matter of the machine's calling convention. */
WSI_FN double
sum_eight(const wave_eight *p)
{
	const wave_eight v = *p;
	return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

/* A bit for each sample above the mean. */
WSI_FN uint64_t
above_mean(const wave_word *w)
{
	uint64_t above = 0;
#pragma GCC unroll 64
	for (int i = 0; i < WSI_WORD; i += LANES)
		above |= (uint64_t)vgreater_f64(vload_f64(w->d + 8 + i), vset1_f64(0.0)) << i;
	return above;
}

/* The squares of samples 8 r .. 8 r + 7, and of the steps to them. */
WSI_FN void
squares_of(const wave_word *w, int r, wave_eight *energy, wave_eight *slopes)
{
	wave_eight d, before;
	memcpy(&d, w->d + 8 + 8 * r, sizeof d);
	memcpy(&before, w->d + 7 + 8 * r, sizeof before);
	const wave_eight step = d - before;
	*energy = d * d;
	*slopes = step * step;
}

/* Both sums by halves, over the first m samples. */
WSI_FN wsi_pair
half_sums(const wave_word *w, size_t m)
{
	wave_eight e[8], q[8];
#pragma GCC unroll 8
	for (int r = 0; r < 8; ++r)
		squares_of(w, r, &e[r], &q[r]);
	if (m < WSI_WORD)
		q[m / 8][m % 8] = 0.0;
	const wave_eight energy = ((e[0] + e[4]) + (e[2] + e[6])) + ((e[1] + e[5]) + (e[3] + e[7]));
	const wave_eight slopes = ((q[0] + q[4]) + (q[2] + q[6])) + ((q[1] + q[5]) + (q[3] + q[7]));
	wsi_pair s[8];
	for (int i = 0; i < 8; ++i)
		s[i] = (wsi_pair){ energy[i], slopes[i] };
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

/* sums[i]: of samples 8 r .. i - 1 of run r = i / 8; base[r]: of the runs before r;
 * step[i]: the square of the step to sample i. */
WSI_FN void
running_sums(const wave_word *w, size_t m, double *step, wsi_pair *sums, wsi_pair *base)
{
	double square[WSI_WORD];
#pragma GCC unroll 8
	for (int r = 0; r < 8; ++r) {
		wave_eight e, q;
		squares_of(w, r, &e, &q);
		memcpy(square + 8 * r, &e, sizeof e);
		memcpy(step + 8 * r, &q, sizeof q);
	}
	if (m < WSI_WORD)
		step[m] = 0.0;
	base[0] = (wsi_pair){ 0.0, 0.0 };
	for (int r = 0; r < 8; ++r) {
		wsi_pair s = { 0.0, 0.0 };
#pragma GCC unroll 8
		for (int i = 8 * r; i < 8 * r + 8; ++i) {
			sums[i] = s;
			s += (wsi_pair){ square[i], step[i] };
		}
		base[r + 1] = base[r] + s;
	}
}

/* The end whose crossing is entry `at`, and the whole half wave between it and entry `beside`. */
static void
place_end(const wave_queue *w, int at, int beside, wsi_wave_end *end)
{
	const int whole = at > beside ? at : beside;
	end->at = (wsi_crossing){ w->sample[at], w->part[at] };
	end->beside = (wsi_crossing){ w->sample[beside], w->part[beside] };
	end->whole_energy = w->energy[whole];
	end->whole_slopes = w->slopes[whole];
}

/* Puts aside what lies before the first crossing; returns whether it is among those that wait.  The
 * second crossing waits, too, if there is one: many wait, or the row has ended. */
static bool
put_first_aside(wave_queue *w, wsi_half_waves *h)
{
	if (!w->first || w->n == 0)
		return false;
	w->first = false;
	if (w->n > 1)
		place_end(w, 1, 2, &h->ends[0]);
	else
		h->ends[0].at = (wsi_crossing){ w->sample[1], w->part[1] };
	h->ends[0].energy = w->energy[1];
	h->ends[0].slopes = w->slopes[1];
	return true;
}

/* Adds the half waves that end with the crossings that wait. */
static void
add_waiting(wave_queue *w, wsi_half_waves *h)
{
	double frequency[WAVES_WAIT];
	const int first = put_first_aside(w, h);
	if (w->n > 0)
		place_end(w, w->n, w->n - 1, &h->ends[1]);
	for (int k = first; k < w->n; ++k) {
		const double length = (w->sample[k + 1] - w->sample[k]) +
		                      (w->part[k + 1] - w->part[k]);
		frequency[k] = half_wave_frequency(length, w->energy[k + 1], w->slopes[k + 1]);
	}
	int of[WAVES_WAIT], low = WSI_HALF_WAVE_BINS, high = -1;
	for (int k = first; k < w->n; ++k) {
		of[k] = half_wave_bin(frequency[k]);
		low = of[k] < low ? of[k] : low;
		high = of[k] > high ? of[k] : high;
	}
	if (high >= 0)
		half_waves_reach(h, low, high);
	double squares = h->squares;
	for (int k = first; k < w->n; ++k) {
		const double e = w->energy[k + 1];
		half_wave_add(h, h->crossings + (size_t)k, of[k], e, frequency[k]);
		squares += e * e;
	}
	h->squares = squares;
	h->crossings += (size_t)w->n;
	w->sample[0] = w->sample[w->n];
	w->part[0] = w->part[w->n];
	w->n = 0;
}

/* The crossings of a word of m samples, whose first is number s0; bit i of flips: the
 * mean is crossed between samples i - 1 and i.  Returns the word's energy. */
static double
queue_crossings(const wave_word *w, size_t m, double s0, uint64_t flips, wave_queue *queue,
                wsi_half_waves *h)
{
	wsi_pair sums[WSI_WORD], base[9];
	double step[WSI_WORD];
	running_sums(w, m, step, sums, base);
	if (queue->n > WAVES_WAIT - WSI_WORD)
		add_waiting(queue, h);
	wsi_pair before = -queue->open;
	int n = queue->n;
	for (uint64_t f = flips; f; f &= f - 1) {
		const int i = __builtin_ctzll(f);
		const double a = w->d[7 + i], b = w->d[8 + i], part = a / (a - b);
		const wsi_pair here = (base[i / 8] + sums[i]) + (wsi_pair){ 0.0, part * step[i] };
		const wsi_pair between = here - before;
		before = here;
		++n;
		queue->sample[n] = s0 + (double)i;
		queue->part[n] = part;
		queue->energy[n] = between[0] > 0.0 ? between[0] : 0.0;
		queue->slopes[n] = between[1];
	}
	queue->n = n;
	queue->open = base[8] - before;
	return base[8][0];
}

#endif

static double
FN(sum_and_peak)(const void *x, size_t n, double *peak)
{
	/* A power of two of blocks, whose tree is a branch of the row's. */
	enum { BLOCKS = 128, RUNNING = 32 };
	const REAL *xr = x;
	wsi_growing_sum sum = { .n = 0 };
	double blocks[BLOCKS], largest[RUNNING] = { 0.0 };
	size_t k = 0;
	for (size_t i0 = 0; i0 < n; i0 += RUNNING) {
		double v[RUNNING];
		wave_eight e[4];
		if (n - i0 >= RUNNING)
			for (size_t i = 0; i < RUNNING; ++i)
				v[i] = (double)xr[i0 + i];
		else
			for (size_t i = 0; i < RUNNING; ++i)
				v[i] = i0 + i < n ? (double)xr[i0 + i] : 0.0;
		for (size_t i = 0; i < RUNNING; ++i)
			largest[i] = __builtin_fabs(v[i]) > largest[i] ? __builtin_fabs(v[i])
			             : largest[i];
		memcpy(e, v, sizeof e);
		const wave_eight all = (e[0] + e[2]) + (e[1] + e[3]);
		blocks[k++] = sum_eight(&all);
		if (k == BLOCKS) {
			growing_add(&sum, sum_tree(blocks, k));
			k = 0;
		}
	}
	if (k > 0)
		growing_add(&sum, sum_tree(blocks, k));
	*peak = largest[0];
	for (int i = 1; i < RUNNING; ++i)
		*peak = largest[i] > *peak ? largest[i] : *peak;
	return growing_total(&sum);
}

static void
FN(half_waves)(const void *x, size_t n, double scale, double mean, wsi_half_waves *h)
{
	const REAL *xr = x;
	half_waves_begin(h, n);
	wave_word w = { .d = { 0.0 } };
	wave_queue queue;
	queue.n = 0;
	queue.first = true;
	queue.sample[0] = queue.part[0] = 0.0;
	queue.open = (wsi_pair){ 0.0, 0.0 };
	wsi_growing_sum energy = { .n = 0 };
	uint64_t before = (double)xr[0] * scale - mean > 0.0;
	w.d[7 + WSI_WORD] = (double)xr[0] * scale - mean;
	for (size_t s0 = 0; s0 < n; s0 += WSI_WORD) {
		const size_t m = n - s0 < WSI_WORD ? n - s0 : WSI_WORD;
		w.d[7] = w.d[7 + WSI_WORD];
		if (m == WSI_WORD)
			for (size_t i = 0; i < WSI_WORD; ++i)
				w.d[8 + i] = (double)xr[s0 + i] * scale - mean;
		else
			for (size_t i = 0; i < WSI_WORD; ++i)
				w.d[8 + i] = i < m ? (double)xr[s0 + i] * scale - mean : 0.0;
		const uint64_t above = above_mean(&w);
		uint64_t flips = above ^ (above << 1 | before);
		if (m < WSI_WORD)
			flips &= ((uint64_t)1 << m) - 1;
		before = above >> (WSI_WORD - 1);
		if (flips) {
			growing_add(&energy, queue_crossings(&w, m, (double)s0, flips, &queue, h));
		} else {
			const wsi_pair s = half_sums(&w, m);
			growing_add(&energy, s[0]);
			queue.open += s;
		}
	}
	h->energy = growing_total(&energy);
	add_waiting(&queue, h);
	if (!queue.first) {
		h->ends[1].energy = queue.open[0] > 0.0 ? queue.open[0] : 0.0;
		h->ends[1].slopes = queue.open[1];
		half_waves_end(h, (double)n);
	}
}
