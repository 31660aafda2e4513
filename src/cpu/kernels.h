/*
 * kernels.h - template: all kernels of one instruction set and element type,
 * and their table.  An isa_*.c includes it once per type, after defining
 *     SCALAR, REAL_BITS, FN   e.g. double, 64, name##_f64
 *     ISA_NAME                "avx512"
 * and the instruction set for simd.h.
 */
#define REAL SCALAR
#define FMA(a, b, c) FN(scalar_fma)((a), (b), (c))
#include "cpu/simd.h"
#include "math/cubic.h"
#include "math/joint.h"
#include "math/scale.h"
#include "math/slopes.h"
#include "math/spline.h"

/* The arithmetic of a sample, on vectors. */
#undef REAL
#undef FMA
#define REAL FN(vec)
#define FMA(a, b, c) FN(vec_fma)((a), (b), (c))
#include "math/envelope.h"
#include "math/joint_channel.h"
#include "math/compensated.h"
#undef REAL
#undef FMA
#define REAL SCALAR
#define FMA(a, b, c) FN(scalar_fma)((a), (b), (c))

#include "cpu/half_waves_simd.h"
#include "cpu/knots_simd.h"
#include "cpu/mark_simd.h"
#include "cpu/spline_simd.h"
#include "cpu/mean_sub_simd.h"
#include "ops/rows.h"
#include "ops/joint_rows.h"
#include "cpu/project_simd.h"
#include "cpu/joint_mean_simd.h"
#include "cpu/conv_simd.h"
#include "ops/conv_rows.h"
#include "math/angle.h"
#include "cpu/fft_simd.h"
#include "cpu/cwt_simd.h"

static const wsi_ops FN(ops) = {
	.isa = ISA_NAME,
	.type = REAL_BITS == 64 ? WS_F64 : WS_F32,
	.element = sizeof(REAL),
	.mean_scratch = sizeof(FN(mean_scratch)),
	.subtract = FN(subtract),
	.add_scaled = FN(add_scaled),
	.sum_rows = FN(sum_rows),
	.add = FN(add),
	.divide = FN(divide),
	.shift = FN(shift),
	.scale = FN(scale),
	.noise = FN(noise),
	.minmax = FN(minmax),
	.block_sums = FN(block_sums),
	.sum_and_peak = FN(sum_and_peak),
	.half_waves = FN(half_waves),
	.mark = FN(mark),
	.mean_sub = FN(mean_sub),
	.project = FN(project),
	.project_sample = FN(project_sample),
	.interleave = FN(interleave),
	.deinterleave = FN(deinterleave),
	.extrapolate = FN(extrapolate),
	.joint_scratch = FN(joint_scratch),
	.joint_mean = FN(joint_mean),
	.conv = &FN(conv_ops),
	.cwt = &FN(cwt_ops),
};

#undef REAL
#undef FMA
#undef LANES
#undef PCR_BLOCK
#undef PCR_ROWS
#undef TILE_KNOTS
#undef LIST_CAPACITY
