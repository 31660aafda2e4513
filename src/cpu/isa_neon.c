/* isa_neon.c - the kernels for NEON (aarch64). */
#define ISA_NAME "neon"
#define ISA_TABLE wsi_cpu_neon
#include "cpu/isa.h"
