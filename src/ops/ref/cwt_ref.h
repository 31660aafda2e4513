/*
 * cwt_ref.h - template: plain twins of the wavelet transform's slots, by their definitions, summed
 * in double.  Kernels are equal to them within rounding, and to each other bit for bit.
 */

static void
FN(cwt_inverse)(const wsi_fft *fft, const wsi_fft_in *in, void *out_re, void *out_im, void *scratch)
{
	(void)scratch;
	const REAL *re = in->re, *im = in->im, *hat = in->hat;
	const size_t from = in->k0 / WSI_FFT_ACROSS * WSI_FFT_ACROSS, n = fft->n;
	REAL *const sums = malloc(2 * n * sizeof *sums);
	if (!sums)
		abort();
	for (size_t t = 0; t < n; ++t) {
		double a = 0.0, b = 0.0;
		for (size_t k = hat ? in->k0 : 0; k < (hat ? in->k1 : n); ++k) {
			double c, s;
			gaussian_turn((double)(k * t % n) / (double)n, &c, &s);
			const double h = hat ? hat[k - from] : 1;
			a += h * ((double)re[k] * c - (double)im[k] * s);
			b += h * ((double)re[k] * s + (double)im[k] * c);
		}
		sums[t] = (REAL)a;
		sums[n + t] = (REAL)b;
	}
	memcpy(out_re, sums, n * sizeof *sums);
	memcpy(out_im, sums + n, n * sizeof *sums);
	free(sums);
}

static void
FN(cwt_hat)(const wsi_cwt_hat_job *job)
{
	const wsi_cwt_filter *f = job->filter;
	wsi_wavelet v = f->wavelet;
	v.kind = f->whole ? WS_MORLET_FULL : v.kind;
	for (int64_t k = f->k0; k < f->k1; ++k) {
		const int64_t q = k - job->centre;
		const bool last = 2 * (k < 0 ? -k : k) == (int64_t)job->n;
		double h = f->table ? f->table[k - f->k0]
			: f->gain * wavelet_shape(&v, f->step * (double)k);
		h *= f->halve_nyquist && last ? 0.5 : 1.0;
		h *= job->flatten ? job->flatten[q < 0 ? -q : q] : 1.0;
		((REAL *)job->hat)[k - f->k0] = (REAL)h;
	}
}

static void
FN(cwt_product)(const wsi_cwt_product_job *job)
{
	const wsi_cwt_filter *f = job->filter;
	const int64_t n = (int64_t)job->n, m = (int64_t)job->m;
	REAL *y_re = job->y_re, *y_im = job->y_im;
	for (int64_t k = 0; k < m; ++k)
		y_re[k] = y_im[k] = 0;
	for (int64_t k = f->k0; k < f->k1; ++k) {
		const int64_t bin = ((k % n) + n) % n, at = ((k % m) + m) % m;
		const bool there = k >= -(int64_t)job->below && k <= n / 2 + (int64_t)job->above;
		const bool mirrored = !there && (k < 0 || bin > n / 2);
		const int64_t from = there ? k : k < 0 ? -k : mirrored ? n - bin : bin;
		const REAL hat = ((const REAL *)job->hat)[k - f->k0];
		REAL re = hat * ((const REAL *)job->x_re)[from],
			im = hat * ((const REAL *)job->x_im)[from];
		im = mirrored ? -im : im;
		for (int i = 0; i < f->quarters; ++i) {
			const REAL rotated = -im;
			im = re;
			re = rotated;
		}
		y_re[at] += re;
		y_im[at] += im;
	}
}

static void
FN(cwt_store)(const wsi_cwt_store *how, const void *re_, const void *im_, size_t count, void *out_)
{
	const REAL *re = re_, *im = im_;
	REAL *out = out_;
	for (size_t i = 0; i < count; ++i) {
		const double a = re[i], b = im[i], s = how->scale;
		if (how->quantity == WS_COMPLEX) {
			out[2 * i] = (REAL)(a * s);
			out[2 * i + 1] = (REAL)(b * s);
		} else if (how->quantity == WS_PHASE) {
			out[i] = (REAL)atan2(b, a);
		} else {
			const double power = a * a + b * b;
			out[i] = (REAL)(how->quantity == WS_POWER ? power * s * s
			                : sqrt(power) * s);
		}
	}
}

static void
FN(cwt_interpolate)(const wsi_cwt_interpolation *job)
{
	const size_t m = job->m, ratio = (size_t)job->ratio;
	const REAL *weights = job->weights;
	const size_t number = wsi_cwt_numbers(job->store.quantity);
	for (size_t t = job->t0; t < job->t1; ++t) {
		double a = 0.0, b = 0.0;
		for (int j = 0; j < job->taps; ++j) {
			const size_t at = (t / ratio + m + (size_t)j -
			                   ((size_t)job->taps / 2 - 1) % m) % m;
			/* From the grid point to the output. */
			const int64_t way = (int64_t)(t % ratio) -
			                    (int64_t)ratio * (j - (job->taps / 2 - 1));
			const int64_t period = (int64_t)job->period;
			const int64_t rotation =
				(int64_t)((__int128)way * (int64_t)job->rotation % period);
			double c, s;
			gaussian_turn((double)((rotation + period) % period) / (double)period, &c,
			              &s);
			const double w = weights[(size_t)j * ratio + t % ratio];
			const double re = ((const REAL *)job->z_re)[at],
				im = ((const REAL *)job->z_im)[at];
			a += w * (re * c - im * s);
			b += w * (re * s + im * c);
		}
		const REAL re = (REAL)a, im = (REAL)b;
		FN(cwt_store)(&job->store, &re, &im, 1, (REAL *)job->out + (t - job->t0) * number);
	}
}

static void
FN(cwt_inverse_store)(const wsi_fft *fft, const wsi_fft_in *in, const wsi_cwt_store *how,
                      size_t count, void *out, void *scratch)
{
	/* [2][n], where kernels keep their transposed array. */
	REAL *re = scratch, *im = re + fft->n;
	FN(cwt_inverse)(fft, in, re, im, NULL);
	FN(cwt_store)(how, re, im, count, out);
}

static void
FN(cwt_multiply)(const void *row, size_t count, double *share, double *exponent)
{
	for (size_t t = 0; t < count; ++t) {
		int e;
		share[t] = 2.0 * frexp(share[t] * ((const REAL *)row)[t], &e);
		exponent[t] += share[t] == 0.0 ? 0.0 : e - 1;
	}
}

static void
FN(cwt_mean)(const wsi_cwt_mean_job *job)
{
	for (size_t t = 0; t < job->count; ++t) {
		const double last = job->last ? ((const REAL *)job->last)[t] : 1.0;
		const double log = log2(job->share[t]) + job->exponent[t] +
			(job->weight != 0.0 ? job->weight * log2(last) : 0.0);
		((REAL *)job->out)[t] = (REAL)exp2(job->power * log);
	}
}

static const wsi_cwt_ops FN(cwt_ops) = {
	.inverse = FN(cwt_inverse),
	.inverse_store = FN(cwt_inverse_store),
	.hat = FN(cwt_hat),
	.product = FN(cwt_product),
	.interpolate = FN(cwt_interpolate),
	.store = FN(cwt_store),
	.multiply = FN(cwt_multiply),
	.mean = FN(cwt_mean),
};
