/*
 * fpenv.h - the floating point environment that results are computed in: rounding to nearest,
 * subnormal numbers kept, no exception trapped.  Another library in the process may have set
 * something else: flush-to-zero comes with many that are built with -ffast-math.
 */
#ifndef WSI_FPENV_H
#define WSI_FPENV_H

#include <fenv.h>
#include <stdint.h>

/* A thread's environment, with its exception flags. */
typedef struct wsi_fpenv {
	fenv_t env;
	uint64_t control; /* the processor's own register, where fenv_t may leave some of it out */
} wsi_fpenv;

/* This thread computes in the library's environment from here on. */
void wsi_fpenv_set(void);

/* The same until wsi_fpenv_leave(), which gives back the environment and flags from before.
 * Pairs may be nested. */
void wsi_fpenv_enter(wsi_fpenv *before);
void wsi_fpenv_leave(const wsi_fpenv *before);

#endif
