/*
 * isa.h - body of an isa_*.c: both element types of one instruction set and
 * their lookup.  Before inclusion: ISA_NAME and ISA_TABLE, the name of the
 * lookup function.
 */
#include "cpu/cpu.h"
#include "math/gaussian.h"
#include "math/half_waves.h"
#include "math/sum.h"
#include "ops/conv_ops.h"
#include "ops/cwt_ops.h"
#include "ops/hht_ops.h"

static const wsi_hht_ops hht_ops;

#define TEMPLATE "cpu/kernels.h"
#include "math/both_types.h"

#include "cpu/hht/hht_simd.h"

const wsi_ops *
ISA_TABLE(ws_type type)
{
	return type == WS_F64 ? &ops_f64 : &ops_f32;
}
