/* helper_cwt.c - see cwt_test.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cwt_test.h"

enum { MOST_ARRAYS = 16 };

ws_status
cwt_execute(const cwt_task *task, int arrays, void *const *out)
{
	ws_ctx *ctx;
	ws_plan *plan;
	const ws_ctx_opts c = { .size = sizeof c, .threads = task->threads, .isa = task->isa,
		.device = "cpu" };
	const ws_shape shape = { .size = sizeof shape, .channels = task->channels,
		.samples = task->samples, .fs = task->fs, .type = task->type,
		.epochs = task->epochs, .start = task->start };
	ws_cwt_opts o = task->o;
	o.size = sizeof o;
	assert_int_equal(ws_ctx_create(&ctx, &c), WS_OK);
	if (ws_plan_create(&plan, ctx, task->name, &shape, &o) != WS_OK)
		fail_msg("%s", ws_error_detail());
	assert_true(arrays <= MOST_ARRAYS && ws_plan_arrays(plan) <= MOST_ARRAYS);
	ws_buffer buffers[MOST_ARRAYS] = { { .data = NULL } };
	for (int i = 0; i < arrays; ++i)
		buffers[i].data = out[i];
	const size_t n = task->channels * (task->epochs ? task->epochs : 1) * task->samples;
	void *samples = need(n * type_size(task->type));
	to_type(task->type, task->x, n, samples);
	void *workspace = aligned_alloc(64, ws_plan_workspace(plan));
	const ws_io io = { .size = sizeof io, .x = samples, .arrays = buffers,
		.progress = task->progress, .user = task->user };
	const ws_status status = ws_execute(plan, &io, workspace);
	if (status != WS_OK && status != WS_E_CANCELLED)
		fail_msg("%s", ws_error_detail());
	free(workspace);
	free(samples);
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
	return status;
}
