/* helper_cuda_driver.c - see cuda_driver.h. */
#include "cuda_driver.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

cuda_driver cu;

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
