/* ref.c - the reference table for both element types. */
#include "ops/ref/ref.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/element.h"
#include "base/rising.h"
#include "math/gaussian.h"
#include "math/half_waves.h"
#include "math/plateau.h"
#include "math/real.h"
#include "math/sum.h"
#include "ops/conv_ops.h"
#include "ops/cwt_ops.h"
#include "ops/hht_ops.h"

static const wsi_hht_ops hht_ops;

WSI_FN double scalar_fma_f64(double a, double b, double c) { return fma(a, b, c); }
WSI_FN float scalar_fma_f32(float a, float b, float c) { return fmaf(a, b, c); }
WSI_FN double scalar_sqrt_f64(double x) { return sqrt(x); }
WSI_FN float scalar_sqrt_f32(float x) { return sqrtf(x); }
WSI_FN double scalar_ldexp_f64(double x, int exponent) { return ldexp(x, exponent); }
WSI_FN float scalar_ldexp_f32(float x, int exponent) { return ldexpf(x, exponent); }

#define ISA_NAME "ref"
#define MEAN_SCRATCH 0
#define TEMPLATE "ops/ref/ref_real.h"
#include "math/both_types.h"

#include "ops/ref/hht_ref.h"

const wsi_ops *
wsi_ops_ref(ws_type type)
{
	return type == WS_F64 ? &ops_f64 : &ops_f32;
}
