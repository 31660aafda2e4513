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

#endif
