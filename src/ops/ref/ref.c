/* ref.c - the reference table for both element types. */
#include "ops/ref/ref.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/gaussian.h"
#include "math/half_waves.h"
#include "math/real.h"
#include "math/sum.h"
#include "ops/conv_ops.h"
#include "ops/cwt_ops.h"

WSI_FN double scalar_fma_f64(double a, double b, double c) { return fma(a, b, c); }
WSI_FN float scalar_fma_f32(float a, float b, float c) { return fmaf(a, b, c); }

#define REAL double
#define REAL_BITS 64
#define FN(name) name##_f64
#include "ops/ref/ref_real.h"
#undef REAL
#undef REAL_BITS
#undef FN

#define REAL float
#define REAL_BITS 32
#define FN(name) name##_f32
#include "ops/ref/ref_real.h"
#undef REAL
#undef REAL_BITS
#undef FN

const wsi_ops *
wsi_ops_ref(ws_type type)
{
	return type == WS_F64 ? &ops_f64 : &ops_f32;
}
