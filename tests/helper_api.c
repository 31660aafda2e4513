/* helper_api.c - see api_test.h. */
#include "api_test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

ws_ctx *
cpu_context(int threads)
{
	const ws_ctx_opts o = { .size = sizeof o, .device = "cpu", .threads = threads };
	ws_ctx *ctx;
	assert_int_equal(ws_ctx_create(&ctx, &o), WS_OK);
	return ctx;
}

void
expect_detail(const char *words)
{
	const char *detail = ws_error_detail();
	if (!strstr(detail, words))
		fail_msg("\"%s\" does not say \"%s\"", detail, words);
	assert_null(strchr(detail, '\n'));
}

void
expect_no_plan(const char *transform, const ws_shape *shape, const void *opts, const char *words)
{
	ws_ctx *ctx = cpu_context(0);
	ws_plan *plan;
	assert_int_equal(ws_plan_create(&plan, ctx, transform, shape, opts), WS_E_ARG);
	assert_null(plan);
	expect_detail(words);
	ws_ctx_destroy(ctx);
}
