/*
 * rows.c - passes over rows, cut into stretches of samples that threads share, and what an engine's
 * memory and the caller's hand each other.  Twin of cuda/emd/stage/rows.cu.
 */
#include "cpu/emd/rows.h"

#include <string.h>

/* Samples that a thread passes over at a time; stretches that are worth waking one for. */
#define STRETCH 4096
#define STRETCHES_EACH 4
/* Stretches between two questions to the user. */
#define HEAR_EVERY 16

static wsi_cpu_rows *
cpu(wsi_engine *e)
{
	return (wsi_cpu_rows *)e;
}

/* What is done to n samples: pointers to the operands' stretches. */
typedef struct stretch {
	const wsi_ops *ops;
	char *y;
	const char *a, *b;
	size_t n, row;
} stretch;

typedef struct pass pass;
struct pass {
	wsi_rows y, a, b;
	const double *scale;    /* [row] */
	const wsi_extent *of;   /* [row] */
	const bool *which;      /* [row] only these; NULL: all */
	double number;
	int apart;              /* rows of a between those of two rows of y */
	void (*one)(const pass *p, const stretch *s);
	wsi_engine *e;
};

static void
sum_one(const pass *p, const stretch *s)
{
	s->ops->sum_rows(s->y, s->a, p->a.stride / s->ops->element, p->a.n, s->n);
}

static void
pass_some(void *arg, int rank, int size)
{
	const pass *p = arg;
	const wsi_ops *ops = cpu(p->e)->ops;
	const size_t samples = p->e->params->samples, per_row = (samples + STRETCH - 1) / STRETCH;
	const size_t items = per_row * (size_t)p->y.n, k = (size_t)rank, threads = (size_t)size;
	/* A sum passes over many rows at every stretch. */
	const size_t every = p->one == sum_one ? 1 : HEAR_EVERY;
	for (size_t item = items * k / threads; item < items * (k + 1) / threads; ++item) {
		if (item % every == 0 && !wsi_goes_on(p->e->progress, rank))
			return;
		const size_t i = item / per_row, first = item % per_row * STRETCH;
		if (p->which && !p->which[i])
			continue;
		const size_t offset = first * ops->element;
		const size_t a = p->apart ? i * (size_t)p->apart : i;
		const stretch s = {
			.ops = ops, .y = wsi_row(p->y, i) + offset,
			.a = wsi_row(p->a, a) + offset, .b = wsi_row(p->b, i) + offset,
			.n = samples - first < STRETCH ? samples - first : STRETCH, .row = i,
		};
		p->one(p, &s);
	}
}

static void
run_pass(wsi_engine *e, pass p)
{
	p.e = e;
	/* Few stretches are done by one thread before others would have woken. */
	const size_t samples = (size_t)p.y.n * e->params->samples;
	const size_t stretches = samples / STRETCH, each = p.one == sum_one ? 1 : STRETCHES_EACH;
	if (stretches < STRETCHES_EACH)
		pass_some(&p, 0, 1);
	else
		wsi_pool_run_some(&cpu(e)->pool, stretches / each + 1, pass_some, &p);
}

static void
copy_one(const pass *p, const stretch *s)
{
	(void)p;
	memcpy(s->y, s->a, s->n * s->ops->element);
}

static void
zero_one(const pass *p, const stretch *s)
{
	(void)p;
	memset(s->y, 0, s->n * s->ops->element);
}

static void
subtract_one(const pass *p, const stretch *s)
{
	(void)p;
	s->ops->subtract(s->y, s->a, s->b, s->n);
}

static void
add_one(const pass *p, const stretch *s)
{
	(void)p;
	s->ops->add(s->y, s->a, s->b, s->n);
}

static void
divide_one(const pass *p, const stretch *s)
{
	s->ops->divide(s->y, s->a, p->number, s->n);
}

static void
shift_one(const pass *p, const stretch *s)
{
	const double by = p->of[s->row].offset;
	if (by != 0.0)
		s->ops->shift(s->y, s->a, by, s->n);
}

static void
put_one(const pass *p, const stretch *s)
{
	const wsi_extent *of = p->of ? &p->of[s->row] : NULL;
	if (of && (of->exponent || of->offset != 0.0))
		s->ops->scale(s->y, s->a, -of->exponent, of->offset, s->n);
	else
		copy_one(p, s);
}

static void
get_one(const pass *p, const stretch *s)
{
	const int exponent = p->of ? p->of[s->row].exponent : 0;
	if (exponent)
		s->ops->scale(s->y, s->a, exponent, 0.0, s->n);
	else
		copy_one(p, s);
}

static void
add_scaled_one(const pass *p, const stretch *s)
{
	s->ops->add_scaled(s->y, s->a, s->b, p->scale[s->row], s->n);
}

static void
copy(wsi_engine *e, wsi_rows y, wsi_rows a)
{
	run_pass(e, (pass){ .y = y, .a = a, .b = a, .one = copy_one });
}

static void
zero(wsi_engine *e, wsi_rows y)
{
	run_pass(e, (pass){ .y = y, .a = y, .b = y, .one = zero_one });
}

static void
subtract(wsi_engine *e, wsi_rows y, wsi_rows a, wsi_rows b)
{
	run_pass(e, (pass){ .y = y, .a = a, .b = b, .one = subtract_one });
}

static void
add(wsi_engine *e, wsi_rows y, wsi_rows a, wsi_rows b)
{
	run_pass(e, (pass){ .y = y, .a = a, .b = b, .one = add_one });
}

static void
divide(wsi_engine *e, wsi_rows y, wsi_rows a, double divisor)
{
	run_pass(e, (pass){ .y = y, .a = a, .b = a, .number = divisor, .one = divide_one });
}

static void
shift(wsi_engine *e, wsi_rows y, const wsi_extent *of)
{
	run_pass(e, (pass){ .y = y, .a = y, .b = y, .of = of, .one = shift_one });
}

static void
add_scaled(wsi_engine *e, wsi_rows y, wsi_rows a, wsi_rows b, const double *scale)
{
	run_pass(e, (pass){ .y = y, .a = a, .b = b, .scale = scale, .one = add_scaled_one });
}

static void
sum(wsi_engine *e, wsi_rows y, wsi_rows a, int apart)
{
	run_pass(e, (pass){ .y = y, .a = a, .b = y, .apart = apart, .one = sum_one });
}

/* All memory is equally near. */
static wsi_rows
take(wsi_engine *e, int n, wsi_use use)
{
	(void)use;
	const size_t stride = WSI_WORDS(e->params->samples) * WSI_WORD * cpu(e)->ops->element;
	return (wsi_rows){ wsi_arena_take(e->arena, (size_t)n * stride), stride, n };
}

/* Host memory is a row like any other here; nothing is written to a put one. */
static void
put(wsi_engine *e, wsi_rows rows, const void *host, size_t stride, const wsi_extent *of)
{
	const wsi_rows from = { (char *)host, stride, rows.n };
	run_pass(e, (pass){ .y = rows, .a = from, .b = from, .of = of, .one = put_one });
}

static void
get(wsi_engine *e, void *host, size_t stride, wsi_rows rows, const bool *which,
    const wsi_extent *of)
{
	run_pass(e, (pass){ .y = { host, stride, rows.n }, .a = rows, .b = rows, .which = which,
		            .of = of, .one = get_one });
}

static void
get_beside(wsi_engine *e, void *host, size_t stride, wsi_rows rows, const wsi_extent *of)
{
	get(e, host, stride, rows, NULL, of);
}

void
wsi_cpu_rows_make(wsi_cpu_rows *c, const wsi_ops *ops, const wsi_params *params,
                  wsi_progress *progress, wsi_arena *arena)
{
	*c = (wsi_cpu_rows){
		.e = { .params = params, .progress = progress, .arena = arena,
		       .measuring = !arena->base, .take = take, .put = put, .get = get,
		       .get_beside = get_beside, .copy = copy, .zero = zero, .subtract = subtract,
		       .add = add, .divide = divide, .shift = shift, .add_scaled = add_scaled,
		       .sum = sum },
		.ops = ops,
	};
}
