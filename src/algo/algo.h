/*
 * algo.h - the algorithms, each once, against an engine.
 */
#ifndef WSI_ALGO_H
#define WSI_ALGO_H

#include <math.h>
#include <string.h>

#include "base/element.h"
#include "base/peers.h"
#include "ops/engine.h"
#include "ops/io.h"

/* What an execution works on. */
typedef struct wsi_work {
	const wsi_params *params;
	size_t channels;
	int rows;               /* that are well worked on together on this machine */
	int rank, size;         /* of the devices that share an ensemble's realizations, or the
	                           samples of channels that are sifted together, all of which run
	                           the algorithm; 0, 1: alone */
	/* Not looked at while the engine is measuring. */
	const wsi_io *io;       /* its arrays are those of ws_emd_array */
	const wsi_range *x;     /* [channel] of io->x */
	const wsi_range *noise; /* [realization] of io->noise, where that is given */
} wsi_work;

/* Each takes its memory from the engine and, unless that is measuring, runs. */
void wsi_emd(const wsi_work *work, wsi_engine *e);
void wsi_eemd(const wsi_work *work, wsi_engine *e);
void wsi_ceemdan(const wsi_work *work, wsi_engine *e);  /* also Improved CEEMDAN */
void wsi_memd(const wsi_work *work, wsi_engine *e);

/* Of devices that work together one fills the caller's arrays. */
static inline bool
wsi_leads(const wsi_work *w)
{
	return w->rank == 0;
}

/* Rows of the caller's arrays. */
static inline size_t
wsi_row_bytes(const wsi_work *w)
{
	return w->params->samples * wsi_type_size(w->params->type);
}

static inline const void *
wsi_input_row(const wsi_work *w, size_t channel)
{
	return w->io->x + channel * w->io->x_stride;
}

static inline void *
wsi_mode_row(const wsi_work *w, size_t channel, int mode)
{
	return wsi_io_row(w->io, WS_EMD_MODES, channel, (size_t)mode);
}

static inline void *
wsi_residue_row(const wsi_work *w, size_t channel)
{
	return wsi_io_row(w->io, WS_EMD_RESIDUE, channel, 0);
}

/* Bytes from one channel of an array to the next. */
static inline size_t
wsi_channel_stride(const wsi_work *w, ws_emd_array array)
{
	return w->io->arrays[array].stride[0];
}

static inline void
wsi_set_mode_count(const wsi_work *w, size_t channel, int modes)
{
	if (wsi_leads(w))
		*(int32_t *)wsi_io_row(w->io, WS_EMD_MODE_COUNT, channel, 0) = modes;
}

/* The middle of a row that lies within a factor of two on one side of zero: taking it off is
 * exact (Sterbenz).  0 of others, and where a reference keeps offsets. */
static inline double
wsi_offset(const wsi_params *p, const wsi_extent *x)
{
	if (!p->centred || (x->low <= 0.0 && x->high >= 0.0) ||
	    x->magnitude > 2.0 * fmin(fabs(x->low), fabs(x->high)))
		return 0.0;
	const double middle = x->low + 0.5 * x->range;
	return p->type == WS_F64 ? middle : (double)(float)middle;
}

/* The extent of a caller's row after put(), which multiplies it by 2^-exponent and then takes off
 * a large offset.  The first makes results independent of the unit; the second saves digits. */
static inline wsi_extent
wsi_extent_brought(const wsi_params *p, wsi_range range, int exponent)
{
	wsi_extent x = wsi_extent_of(ldexp(range.low, -exponent), ldexp(range.high, -exponent));
	const double offset = wsi_offset(p, &x);
	x = wsi_extent_of(x.low - offset, x.high - offset);
	x.offset = offset;
	x.exponent = exponent;
	return x;
}

/* The exponent e for which max |x| is in [0.5, 1) times 2^e. */
static inline int
wsi_exponent_of(wsi_range range)
{
	int exponent = 0;
	frexp(fmax(fabs(range.low), fabs(range.high)), &exponent);
	return exponent;
}

/* Puts channels, from `channel` on, into rows, and tells their extents.  Channels that are
 * sifted together have one exponent. */
static inline void
wsi_put_input(const wsi_work *w, wsi_engine *e, wsi_rows rows, size_t channel, wsi_extent *input)
{
	const wsi_range *x = w->x + channel;
	wsi_range all = x[0];
	for (int i = 1; i < rows.n; ++i)
		all = (wsi_range){ fmin(all.low, x[i].low), fmax(all.high, x[i].high) };
	const bool together = w->params->o.method == WS_METHOD_MEMD;
	for (int i = 0; i < rows.n; ++i)
		input[i] = wsi_extent_brought(w->params, x[i],
		                              wsi_exponent_of(together ? all : x[i]));
	e->put(e, rows, wsi_input_row(w, channel), w->io->x_stride, input);
}

/* Hands out rows, which may change, as the residues of channels from `channel` on. */
static inline void
wsi_get_residue(const wsi_work *w, wsi_engine *e, wsi_rows rows, size_t channel,
                const wsi_extent *input)
{
	bool any = false;
	if (!wsi_leads(w))
		return;
	for (int i = 0; i < rows.n; ++i)
		any = any || input[i].offset != 0.0;
	if (any)
		e->shift(e, rows, input);
	e->get(e, wsi_residue_row(w, channel), wsi_channel_stride(w, WS_EMD_RESIDUE), rows, NULL,
	       input);
}

/*
 * Share of the time that so many modes take, of all that there may be: the
 * first have the most knots and, where a rule decides, the most sifts.
 */
static inline double
wsi_share_of_modes(const wsi_params *p, double modes)
{
	const double later = p->o.stop_rule == WS_STOP_FIXED ? 0.3 : 0.08, ratio = 0.75;
	const double early = (1.0 - pow(ratio, modes)) / (1.0 - pow(ratio, p->o.modes));
	return later * modes / p->o.modes + (1.0 - later) * early;
}

/* Notes what sifting one mode of a channel took, of all its realizations: devices together. */
static inline void
wsi_note_sifts(const wsi_work *w, size_t channel, int mode, const wsi_sifted *sifted, int n)
{
	if (w->io->peers)
		pthread_mutex_lock(&w->io->peers->lock);
	for (int i = 0; i < n; ++i) {
		if (wsi_io_wants(w->io, WS_EMD_SIFTS)) {
			int32_t *s = wsi_io_row(w->io, WS_EMD_SIFTS, channel, (size_t)mode);
			*s = sifted[i].sifts > *s ? sifted[i].sifts : *s;
		}
		if (wsi_io_wants(w->io, WS_EMD_UNFINISHED))
			*(int32_t *)wsi_io_row(w->io, WS_EMD_UNFINISHED, channel, 0) +=
				sifted[i].unfinished;
	}
	if (w->io->peers)
		pthread_mutex_unlock(&w->io->peers->lock);
}

/* What noise w_i of a realization in a row is to be multiplied by for the caller's: a power of
 * two. */
static inline double
wsi_noise_unit(const wsi_work *w, int realization)
{
	return w->io->noise ? ldexp(1.0, wsi_exponent_of(w->noise[realization])) : 1.0;
}

/* Noise w_i of realizations first.. into rows, drawn or the caller's, the latter brought to
 * a magnitude in [0.5, 1). */
static inline void
wsi_noise_rows(const wsi_work *w, wsi_engine *e, wsi_rows rows, size_t channel, int first,
               int repeat)
{
	const bool independent = w->params->o.channel_noise == WS_NOISE_INDEPENDENT;
	if (!w->io->noise) {
		e->noise(e, rows, independent ? (uint32_t)(w->io->first_channel + channel) : 0,
		         first, repeat);
		return;
	}
	for (int i = 0; i < rows.n; ++i) {
		const int realization = (first + i) / repeat;
		const wsi_extent of = { .exponent = wsi_exponent_of(w->noise[realization]) };
		e->put(e, wsi_some_rows(rows, i, 1),
		       (const char *)w->io->noise + (size_t)realization * wsi_row_bytes(w), 0, &of);
	}
}

#endif
