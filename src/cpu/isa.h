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

#define SCALAR double
#define REAL_BITS 64
#define FN(name) name##_f64
#include "cpu/kernels.h"
#undef SCALAR
#undef REAL_BITS
#undef FN

#define SCALAR float
#define REAL_BITS 32
#define FN(name) name##_f32
#include "cpu/kernels.h"
#undef SCALAR
#undef REAL_BITS
#undef FN

const wsi_ops *
ISA_TABLE(ws_type type)
{
	return type == WS_F64 ? &ops_f64 : &ops_f32;
}
