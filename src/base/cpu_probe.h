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
/* Which these are: bit k % 8 of byte k / 8 for processor k, as far as there are bytes.  All 0 where
 * the system does not tell. */
void wsi_cpu_mask(unsigned char *mask, size_t bytes);
/* Processors of the machine that are switched on. */
int wsi_cpu_online(void);

#endif
