/*
 * conv_ref.h - template: direct convolution plainly: one output, one tap after the other, and the
 * tree by recursion (math/conv.h).
 */

/* Sample of tap t for output j. */
WSI_FN REAL
FN(conv_sample)(const wsi_conv_args *args, int t, size_t j)
{
	const size_t every = args->every, at = (size_t)t;
	const size_t k = every == 1 ? at : at % every * args->stride + at / every;
	return ((const REAL *)args->x)[k + j];
}

static void
FN(conv_section)(const wsi_conv_args *args)
{
	for (int r = 0; r < args->rows; ++r)
		for (size_t j = 0; j < args->outputs; ++j) {
			REAL s = (REAL)0;
			for (int t = 0; t < args->n_taps; ++t)
				s = FMA(FN(conv_sample)(args, t, j),
				        ((const REAL *)args->taps)[t * args->rows + r], s);
			((REAL *)args->sums)[r * WSI_CONV_OUTPUTS + (int)j] = s;
		}
}

static void
FN(conv_section_carried)(const wsi_conv_args *args)
{
	for (int r = 0; r < args->rows; ++r)
		for (size_t j = 0; j < args->outputs; ++j) {
			FN(carried) s = { (REAL)0, (REAL)0 };
			for (int t = 0; t < args->n_taps; ++t)
				s = FN(carried_fma)(s, FN(conv_sample)(args, t, j),
				                    ((const REAL *)args->taps)[t * args->rows + r]);
			REAL *to = (REAL *)args->sums + r * WSI_CONV_OUTPUTS + (int)j;
			to[0] = s.sum;
			to[args->rows * WSI_CONV_OUTPUTS] = s.rest;
		}
}

static void
FN(conv_add_carried)(void *a, const void *b, size_t n)
{
	REAL *to = a;
	const REAL *from = b;
	for (size_t i = 0; i < n; ++i) {
		const FN(carried) sum = FN(carried_add)(
			(FN(carried)){ from[i], from[n + i] }, (FN(carried)){ to[i], to[n + i] });
		to[i] = sum.sum;
		to[n + i] = sum.rest;
	}
}
