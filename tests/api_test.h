/*
 * api_test.h - what tests of the public interface share.
 */
#ifndef API_TEST_H
#define API_TEST_H

#include "core_test.h"

/* Of the CPU; 0 threads: its default. */
ws_ctx *cpu_context(int threads);

/* The last failure's detail is one line that has these words. */
void expect_detail(const char *words);

/* A plan of this transform is WS_E_ARG, and its detail has these words. */
void expect_no_plan(const char *transform, const ws_shape *shape, const void *opts,
                    const char *words);

#endif
