/* table.c - which kernels this machine can run. */
#include "cpu/cpu.h"

#include <string.h>

#include "base/cpu_probe.h"
#include "ops/ref/ref.h"

const wsi_ops *
wsi_ops_find(const char *isa, ws_type type)
{
	if (strcmp(isa, "ref") == 0)
		return wsi_ops_ref(type);
	if (!wsi_cpu_has(isa))
		return NULL;
	if (strcmp(isa, "plain") == 0)
		return wsi_cpu_plain(type);
#if defined(__x86_64__)
	if (strcmp(isa, "avx512") == 0)
		return wsi_cpu_avx512(type);
	if (strcmp(isa, "avx2") == 0)
		return wsi_cpu_avx2(type);
#elif defined(__aarch64__)
	if (strcmp(isa, "neon") == 0)
		return wsi_cpu_neon(type);
#endif
	return NULL;
}
