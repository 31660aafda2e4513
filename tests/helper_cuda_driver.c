/* helper_cuda_driver.c - see cuda_driver.h. */
#include "cuda_driver.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

cuda_driver cu;

static int (*copy)(address to, const void *from, size_t bytes); /* of the driver */

/* The driver may return before the last of it has arrived, and streams that do not wait for the
 * default one would find something else there. */
static int
copy_all(address to, const void *from, size_t bytes)
{
	const int status = copy(to, from, bytes);
	return status ? status : cu.wait(NULL);
}

void
open_driver(void)
{
	static const char *const names[] = { "cuInit", "cuDevicePrimaryCtxRetain",
		"cuCtxSetCurrent", "cuMemAlloc_v2", "cuMemFree_v2", "cuMemcpyHtoD_v2",
		"cuMemcpyDtoH_v2", "cuMemsetD32Async", "cuMemcpyDtoDAsync_v2", "cuStreamCreate",
		"cuStreamSynchronize" };
	void *library = dlopen("libcuda.so.1", RTLD_NOW), *context;
	void **functions = (void **)&cu;
	if (!library)
		fail_msg("no driver of CUDA");
	for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
		if (!(functions[i] = dlsym(library, names[i])))
			fail_msg("CUDA's driver has no %s", names[i]);
	copy = cu.to_device;
	cu.to_device = copy_all;
	assert_int_equal(cu.init(0), 0);
	assert_int_equal(cu.retain(&context, 0), 0);
	assert_int_equal(cu.set(context), 0);
}

address
on_device(size_t bytes)
{
	address p = 0;
	assert_int_equal(cu.alloc(&p, bytes), 0);
	return p;
}
