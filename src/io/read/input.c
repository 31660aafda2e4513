/* input.c - the part of a recording that a command works on. */
#include "io/read/input.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/read/hashing.h"
#include "io/read/open.h"

double
wsi_largest(ws_type type)
{
	return type == WS_F32 ? (double)FLT_MAX : DBL_MAX;
}

const char *
wsi_input_name(const wsi_input *in, size_t channel)
{
	return in->rec->channels[in->channels[channel]].name;
}

size_t
wsi_input_handed(const wsi_input *in)
{
	return in->before + in->samples + in->after;
}

void
wsi_input_take_missing(const wsi_input *in, double *x, size_t n)
{
	for (size_t f = 0; f < in->n_fill; f++) {
		const double fill = in->fill[f], nearest = (double)(float)fill;
		for (size_t k = 0; k < n; k++)
			x[k] = x[k] == fill || x[k] == nearest ? (double)NAN : x[k];
	}
}

void
wsi_input_close(wsi_input *in)
{
	if (in->window.memory)
		wsi_window_close(&in->window, in->rec->file);
	wsi_recording_close(in->rec);
	wsi_hashing_stop(in->hashing);
	if (in->spool >= 0)
		close(in->spool);
	free(in->transposed);
	for (size_t i = 0; i < in->n_resamplers; i++)
		wsi_resample_free(&in->resamplers[i]);
	free(in->joins);
	wsi_kept_free(&in->kept);
	free(in->channels);
	free(in->epochs);
	free(in->reference);
	free(in->events);
	*in = (wsi_input){ .spool = -1 };
}
