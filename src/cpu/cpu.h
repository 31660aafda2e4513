/* cpu.h - the tables of kernels that were built for the CPU. */
#ifndef WSI_CPU_H
#define WSI_CPU_H

#include "ops/ops.h"

const wsi_ops *wsi_cpu_avx512(ws_type type);
const wsi_ops *wsi_cpu_avx2(ws_type type);
const wsi_ops *wsi_cpu_neon(ws_type type);
const wsi_ops *wsi_cpu_plain(ws_type type);

#endif
