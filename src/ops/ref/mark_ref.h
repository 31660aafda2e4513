/* mark_ref.h - template: slot mark, the definition spelled out.
 * Fast twin: cpu/emd/mark_simd.h. */

/* The step from a to b: +1 rises, -1 falls, 0 flat. */
static int
FN(step)(REAL a, REAL b, REAL flat)
{
	return b - a > flat ? 1 : a - b > flat ? -1 : 0;
}

/* Marks sample s, or half a sample before; sign: 1 a maximum, -1 a minimum, 0 neither. */
static void
FN(mark_one)(const wsi_mark_args *args, size_t s, bool half, int sign, wsi_counts *c)
{
	const REAL *x = args->x;
	const int kind = sign > 0 ? WSI_MAX : WSI_MIN;
	const size_t w = s / WSI_WORD;
	if (sign == 0 || w < args->word0 || w >= args->word1)
		return;
	args->marks[kind][w] |= (uint64_t)1 << (s % WSI_WORD);
	if (args->half && half)
		args->half[w] |= (uint64_t)1 << (s % WSI_WORD);
	c->extrema[kind]++;
	if (args->signs)
		c->wrong_sign += sign > 0 ? x[s] <= (REAL)0 : x[s] >= (REAL)0;
}

static void
FN(mark)(const wsi_mark_args *args, wsi_counts *c)
{
	const REAL *x = args->x;
	const size_t n = args->n;
	for (size_t w = args->word0; w < args->word1; ++w) {
		args->marks[WSI_MAX][w] = args->marks[WSI_MIN][w] = 0;
		if (args->half)
			args->half[w] = 0;
	}
	const REAL flat = (REAL)args->flat;
	for (size_t i = 0, k; i < n; i = k + 1) {
		k = i; /* the last of a run of flat steps from i on */
		while (k + 1 < n && FN(step)(x[k], x[k + 1], flat) == 0)
			++k;
		if (k > i && !args->plateaus)
			continue;
		const int in = i > 0 ? FN(step)(x[i - 1], x[i], flat) : 0;
		const int out = k + 1 < n ? FN(step)(x[k], x[k + 1], flat) : 0;
		const int lone = args->lone && k == i + 1 ? FN(step)(x[i], x[k], (REAL)0) : 0;
		const wsi_plateau p = plateau_between(in, lone, out);
		FN(mark_one)(args, i, false, p.first, c);
		FN(mark_one)(args, (i + k + 1) / 2, (k - i) % 2 == 1, p.middle, c);
		FN(mark_one)(args, k, false, p.last, c);
	}
	if (args->cyclic && n > 1) {
		int before = FN(step)(x[n - 2], x[n - 1], flat);
		int seam = FN(step)(x[n - 1], x[0], flat);
		int after = FN(step)(x[0], x[1], flat);
		FN(mark_one)(args, n - 1, false, extremum_between(before, seam), c);
		FN(mark_one)(args, 0, false, extremum_between(seam, after), c);
	}
	if (!args->signs)
		return;
	for (size_t i = args->word0 * WSI_WORD; i < args->word1 * WSI_WORD && i < n; ++i) {
		REAL before = i > 0 ? x[i - 1] : (REAL)1;
		bool new_zero = x[i] == (REAL)0 && before != (REAL)0;
		bool flip = i > 0 && ((x[i] > (REAL)0 && before < (REAL)0) ||
		                      (x[i] < (REAL)0 && before > (REAL)0));
		c->zero_crossings += new_zero + flip;
	}
}
