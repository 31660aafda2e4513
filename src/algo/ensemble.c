/* ensemble.c - what the ensemble methods share. */
#include "algo/ensemble.h"

#include <string.h>

#include "base/threads.h"

#define SEGMENT 2048 /* samples that are summed at a time: their levels stay in L2 */

/* Realizations at a time, in whole blocks: enough that the threads seldom
 * wait for the last one, as long as their rows take little memory. */
static int
chunk_rows(size_t row, int threads)
{
	const size_t little = (size_t)64 << 20;
	size_t wanted = 64 * (size_t)threads, least = 4 * (size_t)threads;
	size_t rows = little / row < least ? least : little / row < wanted ? little / row : wanted;
	return (int)((rows + WSI_BLOCK_ROWS - 1) / WSI_BLOCK_ROWS) * WSI_BLOCK_ROWS;
}

void
wsi_ensemble_layout(wsi_ensemble *e, const wsi_work *w, wsi_arena *arena)
{
	const int n = w->params->o.realizations;
	*e = (wsi_ensemble){ .work = w, .realizations = n };
	e->row = WSI_WORDS(w->params->samples) * WSI_WORD * w->ops->element;
	e->chunk = chunk_rows(e->row, w->threads);
	e->chunk = e->chunk < n ? e->chunk : n;
	for (int blocks = (n + WSI_BLOCK_ROWS - 1) / WSI_BLOCK_ROWS; blocks > 0; blocks /= 2)
		e->levels++;
	e->sifters = wsi_arena_take(arena, (size_t)w->threads * sizeof *e->sifters);
	for (int i = 0; i < w->threads; ++i) {
		wsi_sifter s;
		wsi_sifter_layout(&s, w->ops, w->params, 1, false, w->progress, arena);
		s.reports = i == 0;
		if (e->sifters)
			e->sifters[i] = s;
	}
	e->state = wsi_arena_take(arena, (size_t)n * e->row);
	e->extent = wsi_arena_take(arena, (size_t)n * sizeof *e->extent);
	e->alive = wsi_arena_take(arena, (size_t)n * sizeof *e->alive);
	e->out = wsi_arena_take(arena, (size_t)e->chunk * e->row);
}

void
wsi_row_sum_layout(wsi_row_sum *sum, const wsi_ensemble *e, wsi_arena *arena)
{
	sum->levels = wsi_arena_take(arena, (size_t)e->levels * e->row);
	sum->blocks = 0;
}

void
wsi_noise_row(const wsi_ensemble *e, uint32_t stream, int realization, void *out)
{
	const wsi_params *p = e->work->params;
	if (e->work->io->noise)
		memcpy(out,
		       (const char *)e->work->io->noise +
		               (size_t)realization * p->samples * e->work->ops->element,
		       p->samples * e->work->ops->element);
	else
		e->work->ops->noise(p->o.seed, stream, (uint32_t)realization, p->samples, out);
}

/* Samples first .. first + n - 1 of the rows of one chunk. */
static void
add_segment(const wsi_ensemble *e, const wsi_row_sum *sum, const char *rows, int count,
            size_t first, size_t n)
{
	const wsi_ops *ops = e->work->ops;
	const size_t offset = first * ops->element;
	_Alignas(WSI_ALIGN) char block[SEGMENT * sizeof(double)];
	int blocks = sum->blocks;
	for (int i = 0; i < count; i += WSI_BLOCK_ROWS, ++blocks) {
		int k = count - i < WSI_BLOCK_ROWS ? count - i : WSI_BLOCK_ROWS;
		ops->sum_rows(block, rows + (size_t)i * e->row + offset, e->row / ops->element, k, n);
		int level = 0;
		for (; blocks >> level & 1; ++level)
			ops->add(block, sum->levels + (size_t)level * e->row + offset, n);
		memcpy(sum->levels + (size_t)level * e->row + offset, block, n * ops->element);
	}
}

void
wsi_row_sum_add(const wsi_ensemble *e, wsi_row_sum *sum, const char *rows, int count)
{
	const size_t samples = e->work->params->samples;
	const size_t segments = (samples + SEGMENT - 1) / SEGMENT;
#pragma omp parallel for num_threads(e->work->threads) schedule(static) if (segments > 1)
	for (size_t g = 0; g < segments; ++g) {
		size_t first = g * SEGMENT;
		add_segment(e, sum, rows, count, first,
		            samples - first < SEGMENT ? samples - first : SEGMENT);
	}
	sum->blocks += (count + WSI_BLOCK_ROWS - 1) / WSI_BLOCK_ROWS;
}

void
wsi_row_sum_take(const wsi_ensemble *e, wsi_row_sum *sum, double divisor, void *out)
{
	const wsi_ops *ops = e->work->ops;
	const size_t n = e->work->params->samples;
	/* What is left in the levels, the smallest first. */
	char *total = NULL;
	for (int level = 0; sum->blocks >> level; ++level) {
		if (!(sum->blocks >> level & 1))
			continue;
		char *l = sum->levels + (size_t)level * e->row;
		if (total)
			ops->add(l, total, n);
		total = l;
	}
	ops->divide(out, total, divisor, n);
	sum->blocks = 0;
}

bool
wsi_next_mode(wsi_ensemble *e, int thread, int i, int max_sifts, void *out, wsi_sifted *sifted)
{
	const wsi_ops *ops = e->work->ops;
	const size_t n = e->work->params->samples;
	wsi_sifter *s = &e->sifters[thread];
	s->r = wsi_row(e, e->state, i);
	wsi_sifter_scale(s, 0, e->extent[i]);
	*sifted = wsi_extract(s, 0, e->extent[i].range, max_sifts);
	if (!sifted->oscillates || sifted->cancelled) {
		memset(out, 0, n * ops->element);
		return false;
	}
	memcpy(out, sifted->mode, n * ops->element);
	ops->subtract(s->r, s->r, out, n);
	return true;
}
