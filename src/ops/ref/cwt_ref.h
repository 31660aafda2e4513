/*
 * cwt_ref.h - template: plain twins of the wavelet transform's slots, by their definitions, summed
 * in double.  Kernels are equal to them within rounding, and to each other bit for bit.
 */

static void
FN(cwt_inverse)(const wsi_fft *fft, const wsi_fft_in *in, void *out_re, void *out_im, void *scratch)
{
	(void)scratch;
	const REAL *re = in->re, *im = in->im, *values = in->response;
	const size_t from = in->k0 / WSI_FFT_ACROSS * WSI_FFT_ACROSS, n = fft->n;
	REAL *const sums = malloc(2 * n * sizeof *sums);
	if (!sums)
		abort();
	for (size_t t = 0; t < n; ++t) {
		double a = 0.0, b = 0.0;
		for (size_t k = values ? in->k0 : 0; k < (values ? in->k1 : n); ++k) {
			double c, s;
			gaussian_turn((double)(k * t % n) / (double)n, &c, &s);
			const bool taps = in->taps_re, mirrored = taps && k > n / 2;
			const double x = re[mirrored ? n - k : k];
			const double y = mirrored ? -im[n - k] : im[k];
			const double p = taps ? in->taps_re[k] / (double)n : values
			                 ? values[k - from] : 1.0;
			const double q = taps ? -in->taps_im[k] / (double)n : 0.0;
			a += (p * x - q * y) * c - (p * y + q * x) * s;
			b += (p * x - q * y) * s + (p * y + q * x) * c;
		}
		sums[t] = (REAL)a;
		sums[n + t] = (REAL)b;
	}
	memcpy(out_re, sums, n * sizeof *sums);
	memcpy(out_im, sums + n, n * sizeof *sums);
	free(sums);
}

static void
FN(cwt_response)(const wsi_cwt_response_args *args)
{
	const wsi_cwt_response *f = args->response;
	wsi_wavelet v = f->wavelet;
	v.kind = f->whole ? WS_WAVELET_MORLET_FULL : v.kind;
	for (int64_t k = f->k0; k < f->k1; ++k) {
		const int64_t q = k - args->centre;
		const bool last = 2 * (k < 0 ? -k : k) == (int64_t)args->n;
		const int64_t at = k < f->plain0 ? k - f->k0 : f->plain0 - f->k0 + (k - f->plain1);
		double h = f->table && (k < f->plain0 || k >= f->plain1) ? f->table[at]
			: f->gain * wavelet_shape(&v, f->step * (double)k);
		h *= f->halve_nyquist && last ? 0.5 : 1.0;
		h *= args->flatten ? args->flatten[q < 0 ? -q : q] : 1.0;
		((REAL *)args->values)[k - f->k0] = (REAL)h;
	}
}

static void
FN(cwt_product)(const wsi_cwt_product_args *args)
{
	const wsi_cwt_response *f = args->response;
	const int64_t n = (int64_t)args->n, m = (int64_t)args->m;
	REAL *y_re = args->y_re, *y_im = args->y_im;
	for (int64_t k = 0; k < m; ++k)
		y_re[k] = y_im[k] = 0;
	for (int64_t k = f->k0; k < f->k1; ++k) {
		const int64_t bin = ((k % n) + n) % n, at = ((k % m) + m) % m;
		const bool there = k >= -(int64_t)args->below && k <= n / 2 + (int64_t)args->above;
		const bool mirrored = !there && (k < 0 || bin > n / 2);
		const int64_t from = there ? k : k < 0 ? -k : mirrored ? n - bin : bin;
		const REAL values = ((const REAL *)args->values)[k - f->k0];
		REAL re = values * ((const REAL *)args->x_re)[from],
			im = values * ((const REAL *)args->x_im)[from];
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
		if (how->weight != 0.0) {
			const REAL power = (REAL)((a * a + b * b) * s * s);
			((double *)out_)[i] += how->weight * (double)power;
		} else if (how->quantity == WS_QUANTITY_COMPLEX) {
			out[2 * i] = (REAL)(a * s);
			out[2 * i + 1] = (REAL)(b * s);
		} else if (how->quantity == WS_QUANTITY_PHASE) {
			out[i] = (REAL)atan2(b, a);
		} else if (!quantity_has_kernels(how->quantity)) {
			out[i] = (REAL)quantity_value(how->quantity, a * s, b * s);
		} else {
			const double power = a * a + b * b;
			out[i] = (REAL)(how->quantity == WS_QUANTITY_POWER ? power * s * s
			                : sqrt(power) * s);
		}
	}
}

static void
FN(cwt_interpolate)(const wsi_cwt_interpolation *args)
{
	const size_t m = args->m, ratio = (size_t)args->ratio;
	const REAL *weights = args->weights;
	const size_t bytes = wsi_cwt_stored_bytes(&args->store, sizeof(REAL));
	for (size_t t = args->t0; t < args->t1; ++t) {
		double a = 0.0, b = 0.0;
		for (int j = 0; j < args->taps; ++j) {
			const size_t at = (t / ratio + m + (size_t)j -
			                   ((size_t)args->taps / 2 - 1) % m) % m;
			/* From the grid point to the output. */
			const int64_t way = (int64_t)(t % ratio) -
			                    (int64_t)ratio * (j - (args->taps / 2 - 1));
			const int64_t period = (int64_t)args->period;
			const int64_t rotation =
				(int64_t)((__int128)way * (int64_t)args->rotation % period);
			double c, s;
			gaussian_turn((double)((rotation + period) % period) / (double)period, &c,
			              &s);
			const double w = weights[(size_t)j * ratio + t % ratio];
			const double re = ((const REAL *)args->z_re)[at],
				im = ((const REAL *)args->z_im)[at];
			a += w * (re * c - im * s);
			b += w * (re * s + im * c);
		}
		const REAL re = (REAL)a, im = (REAL)b;
		FN(cwt_store)(&args->store, &re, &im, 1,
		              (char *)args->out + (t - args->t0) * bytes);
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
FN(cwt_convolve)(const wsi_fft *fft, const wsi_fft_convolution *of, void *scratch)
{
	REAL *re = of->parts, *im = re + fft->n;
	memset(re + of->zero, 0, (of->end - of->zero) * sizeof *re);
	memset(im + of->zero, 0, (of->end - of->zero) * sizeof *im);
	const REAL *times_re = of->times_re, *times_im = of->times_im, share = (REAL)of->share;
	const wsi_fft_in in = { .re = re, .im = im };
	FN(cwt_inverse)(fft, &in, re, im, scratch);
	for (size_t k = 0; k < fft->n; ++k) {
		const size_t at = of->back ? fft->n - k : k;
		const REAL x = re[k], y = im[k], c = times_re[at], d = times_im[at];
		re[k] = share * (x * c - y * d);
		im[k] = -share * (x * d + y * c);
	}
	FN(cwt_inverse)(fft, &in, re, im, scratch);
}

static void
FN(cwt_multiply)(const void *row, size_t count, size_t before, double *share, double *exponent)
{
	(void)before;
	for (size_t t = 0; t < count; ++t) {
		int e;
		share[t] = 2.0 * frexp(share[t] * ((const REAL *)row)[t], &e);
		exponent[t] += share[t] == 0.0 ? 0.0 : e - 1;
	}
}

static void
FN(cwt_mean)(const wsi_cwt_mean_args *args)
{
	for (size_t t = 0; t < args->count; ++t) {
		const double last = args->last ? ((const REAL *)args->last)[t] : 1.0;
		const double log = log2(args->share[t]) + args->exponent[t] +
			(args->weight != 0.0 ? args->weight * log2(last) : 0.0);
		((REAL *)args->out)[t] = (REAL)exp2(args->power * log);
	}
}

static void
FN(cwt_add_epoch)(const wsi_cwt_epoch *e)
{
	const double k = (double)e->before;
	for (size_t t = 0; t < e->count; ++t) {
		const double x = ((const REAL *)e->w)[2 * t], y = ((const REAL *)e->w)[2 * t + 1];
		const double power = x * x + y * y;
		const double share = power > 0.0 ? 1.0 / sqrt(power) : 0.0;
		if (e->power)
			e->power[t] += power;
		if (e->re) {
			const double mean = e->before ? 1.0 / k : 0.0;
			const double a = x - e->re[t] * mean, b = y - e->im[t] * mean;
			e->about[t] += (a * a + b * b) * (k / (k + 1.0));
			e->re[t] += x;
			e->im[t] += y;
		}
		if (e->unit_re) {
			e->unit_re[t] += x * share;
			e->unit_im[t] += y * share;
		}
	}
}

static void
FN(cwt_add_pair)(const wsi_cwt_pair *p)
{
	for (size_t t = 0; t < p->count; ++t) {
		const REAL *w = (const REAL *)p->w + 2 * t, *v = (const REAL *)p->v + 2 * t;
		const double a = w[0], b = w[1], c = v[0], d = v[1];
		const double powers[2] = { a * a + b * b, c * c + d * d };
		const double cross[2] = { a * c + b * d, b * c - a * d };
		const double size = sqrt(powers[0]) * sqrt(powers[1]);
		const double share = size > 0.0 ? 1.0 / size : 0.0;
		p->power_w[t] += powers[0];
		p->power_v[t] += powers[1];
		p->re[t] += cross[0];
		p->im[t] += cross[1];
		p->unit_re[t] += cross[0] * share;
		p->unit_im[t] += cross[1] * share;
	}
}

static const wsi_cwt_ops FN(cwt_ops) = {
	.inverse = FN(cwt_inverse),
	.inverse_store = FN(cwt_inverse_store),
	.convolve = FN(cwt_convolve),
	.response = FN(cwt_response),
	.product = FN(cwt_product),
	.interpolate = FN(cwt_interpolate),
	.store = FN(cwt_store),
	.multiply = FN(cwt_multiply),
	.mean = FN(cwt_mean),
	.add_epoch = FN(cwt_add_epoch),
	.add_pair = FN(cwt_add_pair),
};
