/* fpenv.c - the floating point environment that results are computed in. */
#include "base/fpenv.h"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

/* fesetenv(FE_DFL_ENV) leaves flush-to-zero alone in some libraries: the register is set as
 * well. */
static uint64_t
control(void)
{
#if defined(__SSE__)
	return _mm_getcsr();
#elif defined(__aarch64__)
	uint64_t fpcr;
	__asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
	return fpcr;
#else
	return 0;
#endif
}

static void
set_control(uint64_t value)
{
#if defined(__SSE__)
	_mm_setcsr((unsigned)value);
#elif defined(__aarch64__)
	__asm__ volatile("msr fpcr, %0" : : "r"(value) : "memory");
#else
	(void)value;
#endif
}

void
wsi_fpenv_set(void)
{
	fesetenv(FE_DFL_ENV);
#if defined(__SSE__)
	set_control(0x1f80); /* all exceptions masked, to nearest, nothing flushed */
#else
	set_control(0);
#endif
}

void
wsi_fpenv_enter(wsi_fpenv *before)
{
	before->control = control();
	fegetenv(&before->env);
	wsi_fpenv_set();
}

void
wsi_fpenv_leave(const wsi_fpenv *before)
{
	fesetenv(&before->env);
	set_control(before->control);
}
