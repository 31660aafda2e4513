/* isa_avx2.c - the kernels for AVX2 and FMA. */
#define WSI_ISA_AVX2
#define ISA_NAME "avx2"
#define ISA_TABLE wsi_cpu_avx2
#include "cpu/isa.h"
