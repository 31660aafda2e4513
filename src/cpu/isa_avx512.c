/* isa_avx512.c - the kernels for AVX-512. */
#define WSI_ISA_AVX512
#define ISA_NAME "avx512"
#define ISA_TABLE wsi_cpu_avx512
#include "cpu/isa.h"
