/* isa_plain.c - the kernels for any machine, without SIMD or FMA hardware. */
#define ISA_NAME "plain"
#define ISA_TABLE wsi_cpu_plain
#include "cpu/isa.h"
