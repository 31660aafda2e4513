/* cpu_probe.h - what this machine is: instruction sets, processors, memory. */
#ifndef WSI_CPU_PROBE_H
#define WSI_CPU_PROBE_H

#include <stdbool.h>
#include <stddef.h>

/* The i-th instruction set this machine can run, best first; NULL past the last. */
const char *wsi_cpu_isa(int i);
bool wsi_cpu_has(const char *isa);

/* Processors this process may use: its affinity mask, cut to the cgroup's quota. */
int wsi_cpu_threads(void);

#endif
