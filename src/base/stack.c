/* stack.c - programs that run where stacks are small (ulimit -s). */
#define _GNU_SOURCE /* pthread_setattr_default_np */
#include "base/stack.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>

#ifdef __GLIBC__

#include <ucontext.h>

#define COMMON ((size_t)8 << 20)

/* Of the call below: makecontext() takes no pointers. */
static struct {
	int (*run)(int argc, char **argv);
	int argc, result;
	char **argv;
} call;

static void
enter(void)
{
	call.result = call.run(call.argc, call.argv);
}

int
wsi_on_common_stack(int (*run)(int argc, char **argv), int argc, char **argv)
{
	struct rlimit limit;
	pthread_attr_t threads;
	if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY
	    || limit.rlim_cur >= COMMON)
		return run(argc, argv);
	if (pthread_attr_init(&threads) == 0) {
		if (pthread_attr_setstacksize(&threads, COMMON) == 0)
			(void)pthread_setattr_default_np(&threads);
		pthread_attr_destroy(&threads);
	}
	ucontext_t here, there;
	void *stack = mmap(NULL, COMMON, PROT_READ | PROT_WRITE,
	                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
	if (stack == MAP_FAILED || getcontext(&there) != 0)
		return run(argc, argv);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = COMMON;
	there.uc_link = &here;
	call.run = run;
	call.argc = argc;
	call.argv = argv;
	makecontext(&there, enter, 0);
	if (swapcontext(&here, &there) != 0)
		return run(argc, argv);
	munmap(stack, COMMON);
	return call.result;
}

#else

int
wsi_on_common_stack(int (*run)(int argc, char **argv), int argc, char **argv)
{
	return run(argc, argv);
}

#endif
