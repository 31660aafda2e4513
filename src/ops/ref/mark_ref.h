/* mark_ref.h - template: slot mark, the definition spelled out.
 * Fast twin: cpu/mark_simd.h. */

/* Is x[first..last], all equal, a maximum (+1), a minimum (-1) or neither? */
static int
FN(extremum)(const REAL *x, size_t first, size_t last)
{
	if (x[first] > x[first - 1] && x[last] > x[last + 1])
		return 1;
	if (x[first] < x[first - 1] && x[last] < x[last + 1])
		return -1;
	return 0;
}

static void
FN(mark_one)(const wsi_mark_job *job, size_t sample, int sign, wsi_counts *c)
{
	const REAL *x = job->x;
	const int kind = sign > 0 ? WSI_MAX : WSI_MIN;
	const size_t w = sample / WSI_WORD;
	if (sign == 0 || w < job->word0 || w >= job->word1)
		return;
	job->marks[kind][w] |= (uint64_t)1 << (sample % WSI_WORD);
	c->extrema[kind]++;
	if (job->signs)
		c->wrong_sign += sign > 0 ? x[sample] <= (REAL)0 : x[sample] >= (REAL)0;
}

static void
FN(mark)(const wsi_mark_job *job, wsi_counts *c)
{
	const REAL *x = job->x;
	const size_t n = job->n;
	for (size_t w = job->word0; w < job->word1; ++w)
		job->marks[WSI_MAX][w] = job->marks[WSI_MIN][w] = 0;
	for (size_t i = 1; i + 1 < n;) {
		size_t k = i;
		while (k + 1 < n && x[k + 1] == x[i])
			++k;
		if (k + 1 < n && x[i] != x[i - 1] && (k == i || job->plateaus))
			FN(mark_one)(job, (i + k + 1) / 2, FN(extremum)(x, i, k), c);
		i = k + 1;
	}
	if (job->cyclic && n > 1) {
		REAL ring[4] = { x[n - 2], x[n - 1], x[0], x[1] };
		FN(mark_one)(job, n - 1, FN(extremum)(ring, 1, 1), c);
		FN(mark_one)(job, 0, FN(extremum)(ring, 2, 2), c);
	}
	if (!job->signs)
		return;
	for (size_t i = job->word0 * WSI_WORD; i < job->word1 * WSI_WORD && i < n; ++i) {
		REAL before = i > 0 ? x[i - 1] : (REAL)1;
		bool new_zero = x[i] == (REAL)0 && before != (REAL)0;
		bool flip = i > 0 && ((x[i] > (REAL)0 && before < (REAL)0) ||
		                      (x[i] < (REAL)0 && before > (REAL)0));
		c->zero_crossings += new_zero + flip;
	}
}
