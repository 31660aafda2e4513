/* machine.h - what this machine has: processor, memory, GPUs. */
#ifndef CLI_MACHINE_H
#define CLI_MACHINE_H

#include <stddef.h>

/* "Intel(R) Xeon(R) ..."; "unknown" where the system does not say. */
void cli_cpu_model(char model[128]);
/* Bytes of memory that this process may still take: what the machine and its
 * control groups leave; 0 where unknown. */
size_t cli_memory_free(void);
/* 80 % of that, the default of --memory. */
size_t cli_memory_default(void);

#endif
