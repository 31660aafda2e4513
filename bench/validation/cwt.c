/*
 * cwt.c - one continuous wavelet transform, for cwt_peers.py.
 *
 *     cwt REFERENCE TYPE FS WAVELET PARAM0 PARAM1 X.npy AXIS OUT.f64
 *
 * AXIS: an NPY of frequencies in Hz.  OUT: for each, the time series of complex numbers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "transform/cwt/cwt.h"

int
main(int argc, char **argv)
{
	if (argc != 10)
		die("usage: cwt REFERENCE TYPE FS WAVELET PARAM0 PARAM1 X.npy AXIS.npy OUT.f64");
	array x = load_npy(".", argv[7]), axis = load_npy(".", argv[8]);
	const ws_type type = strcmp(argv[2], "f32") == 0 ? WS_F32 : WS_F64;
	ws_cwt_opts o = { .size = sizeof o, .tag = WS_TAG_CWT, .wavelet = atoi(argv[4]),
		.param = { atof(argv[5]), atof(argv[6]) }, .frequencies = axis.v,
		.frequency_count = axis.n };
	int reference = 0;
	while (wsi_cwt_reference_row(reference) &&
	       strcmp(wsi_cwt_reference_name((ws_cwt_reference)reference), argv[1]) != 0)
		++reference;
	o.reference = (ws_cwt_reference)reference;
	wsi_cwt *cwt;
	if (wsi_cwt_create(&cwt, x.n, atof(argv[3]), type, &o, NULL) != WS_OK)
		die("%s", ws_error_detail());
	const size_t element = cwt->ops->element, row = 2 * x.n * element;
	void *samples = xmalloc(x.n * element);
	for (size_t t = 0; t < x.n; ++t)
		if (type == WS_F32)
			((float *)samples)[t] = (float)x.v[t];
		else
			((double *)samples)[t] = x.v[t];
	void *spectrum = aligned_alloc(64, wsi_cwt_spectrum_bytes(cwt));
	void *workspace = aligned_alloc(64, wsi_cwt_workspace(cwt, 1, 1));
	char *out = xmalloc(cwt->count * row);
	wsi_worker worker;
	wsi_pool pool;
	wsi_pool_start(&pool, 1, &worker, NULL);
	if (wsi_cwt_forward(cwt, samples, 0, 1, spectrum, &pool, NULL, workspace) != WS_OK)
		die("%s", ws_error_detail());
	const wsi_cwt_part job = { .spectra = spectrum, .channels = 1, .f1 = cwt->count,
		.t1 = cwt->outputs, .out = out, .frequency_stride = row };
	wsi_cwt_run(cwt, &job, &pool, NULL, workspace);
	wsi_pool_stop(&pool);
	FILE *f = fopen(argv[9], "wb");
	for (size_t i = 0; i < 2 * x.n * cwt->count; ++i) {
		const double v = type == WS_F32 ? ((float *)out)[i] : ((double *)out)[i];
		if (!f || fwrite(&v, sizeof v, 1, f) != 1)
			die("%s: cannot be written", argv[9]);
	}
	return fclose(f) != 0;
}
