/* shared.c - steps of Hilbert-Huang spectra that the CPU's work and a GPU's have in common. */
#include <float.h>
#include <math.h>

#include "base/status.h"
#include "transform/emd/emd.h"
#include "transform/hht/work.h"

/* Takes an array [channel][row][time] of the plan's type. */
static ws_buffer
take_rows(wsi_arena *arena, const ws_plan *base, size_t rows)
{
	const size_t row = base->shape.samples * wsi_type_size(base->shape.type);
	return (ws_buffer){ wsi_arena_take(arena, base->shape.channels * rows * row),
		            { rows * row, row } };
}

void
wsi_hht_take_modes(wsi_hht_work *w, const wsi_io *io, wsi_arena *arena)
{
	const wsi_hht_plan *plan = w->plan;
	w->modes = take_rows(arena, &plan->base, plan->modes);
	w->residue = take_rows(arena, &plan->base, 1);
	if (io && plan->o.parts & WS_HHT_PART_MODES && wsi_io_wants(io, WS_HHT_MODES))
		w->modes = io->arrays[WS_HHT_MODES];
	if (io && plan->o.parts & WS_HHT_PART_MODES && wsi_io_wants(io, WS_HHT_RESIDUE))
		w->residue = io->arrays[WS_HHT_RESIDUE];
}

ws_status
wsi_hht_decompose(wsi_hht_work *w, const ws_plan *emd, wsi_io *inner)
{
	ws_buffer arrays[WS_EMD_ARRAYS] = { 0 };
	arrays[WS_EMD_MODES] = w->modes;
	arrays[WS_EMD_RESIDUE] = w->residue;
	arrays[WS_EMD_MODE_COUNT] = w->io->arrays[WS_HHT_MODE_COUNT];
	/* Other rules have caps of their own, which are not told. */
	if (!w->aside)
		arrays[WS_EMD_CAPPED] = w->io->arrays[WS_HHT_CAPPED];
	inner->arrays = arrays;
	wsi_progress progress;
	wsi_progress_within(&progress, w->progress, 0.0, w->aside ? 0.0 : WSI_HHT_DECOMPOSING);
	const ws_status status = emd->transform->run(emd, inner, &progress, w->decomposition);
	inner->arrays = NULL;
	return status;
}

ws_status
wsi_hht_decompose_aside(const wsi_hht_work *w, const ws_plan *emd, const double *x,
                        double *modes, double *residue, int32_t *count, void *workspace)
{
	const size_t element = sizeof(double), row = emd->shape.samples * element;
	const size_t most = (size_t)wsi_emd_plan_of(emd)->params.o.modes;
	const ws_buffer arrays[WS_EMD_ARRAYS] = {
		[WS_EMD_MODES] = { modes, { most * row, row, element } },
		[WS_EMD_RESIDUE] = { residue, { row, element } },
		[WS_EMD_MODE_COUNT] = { count, { sizeof *count } },
	};
	const wsi_io io = { .x = (const char *)x, .x_stride = row, .arrays = arrays };
	wsi_progress progress;
	wsi_progress_within(&progress, w->progress, 0.0, 0.0);
	return emd->transform->run(emd, &io, &progress, workspace);
}

ws_status
wsi_hht_refuse(const wsi_hht_work *w, size_t c, size_t k, size_t sample)
{
	return WSI_FAIL(WS_E_FORMAT, "channel %zu, mode %zu, sample %zu is not finite: mend or "
	                "leave out that stretch", WSI_NO(w->io->first_channel + w->first + c),
	                WSI_NO(k), WSI_NO(sample));
}

/* The exponent of the power of two above v > 0. */
static int
power_above(double v)
{
	int e;
	frexp(v, &e);
	return e;
}

ws_status
wsi_hht_power_fits(const wsi_hht_work *w, size_t c, double peak)
{
	const wsi_hht_plan *plan = w->plan;
	const wsi_bins *bins = &plan->hht.bins;
	const bool squares = plan->o.quantity != WS_HHT_QUANTITY_AMPLITUDE;
	const int of_quantity = WS_HHT_PART_SPECTRUM | WS_HHT_PART_MODE_SPECTRUM |
		WS_HHT_PART_SPARSE | WS_HHT_PART_MARGINAL | WS_HHT_PART_HOLOSPECTRUM;
	if (!plan->n_rules && !plan->hht.emd_py && !(squares && plan->o.parts & of_quantity))
		return WS_OK;
	const bool narrow = plan->base.shape.type == WS_F32 && squares && plan->o.parts &
	                    (WS_HHT_PART_SPECTRUM | WS_HHT_PART_MODE_SPECTRUM | WS_HHT_PART_SPARSE);
	double least = 1.0, most = 1.0;
	for (int b = 0; plan->o.quantity == WS_HHT_QUANTITY_DENSITY && b < bins->n; ++b) {
		const double per_hz = 1.0 / (bins->edges[b + 1] - bins->edges[b]);
		least = fmin(least, per_hz);
		most = fmax(most, per_hz);
	}
	if (plan->o.quantity == WS_HHT_QUANTITY_ENERGY)
		most *= (double)plan->hht.n;
	/* Amplitudes are up to twice a mode's samples where it turns; a cell holds all modes. */
	most *= 4.0 * (double)(plan->modes * plan->modes);
	const int square = peak > 0.0 ? 2 * power_above(peak) : 0;
	const int high = square + power_above(most), low = square - 2 + power_above(least) - 1;
	const bool more = high > (narrow ? FLT_MAX_EXP : DBL_MAX_EXP);
	if (more || low < (narrow ? FLT_MIN_EXP : DBL_MIN_EXP))
		return WSI_FAIL(WS_E_FORMAT, "channel %zu: the power of its modes, of up to %.3g, "
		                "is %s than %s holds; choose another unit%s, or `quantity "
		                "amplitude`", WSI_NO(w->io->first_channel + w->first + c), peak,
		                more ? "more" : "less", narrow ? "f32" : "f64",
		                narrow ? ", `precision f64`" : "");
	return WS_OK;
}
