/* ref_real.h - template: the reference table of one element type. */
#define FMA(a, b, c) FN(scalar_fma)((a), (b), (c))
#include "math/cubic.h"
#include "math/envelope.h"
#include "math/joint.h"
#include "math/joint_channel.h"
#include "math/scale.h"
#include "math/slopes.h"
#include "math/spline.h"
#include "ops/ref/half_waves_ref.h"
#include "ops/ref/mark_ref.h"
#include "ops/ref/mean_sub_ref.h"
#include "ops/rows.h"
#include "ops/joint_rows.h"
#include "ops/ref/joint_ref.h"
#include "math/compensated.h"
#include "ops/ref/conv_ref.h"
#include "ops/conv_rows.h"
#include "math/angle.h"
#include "ops/ref/cwt_ref.h"
#undef FMA

static const wsi_ops FN(ops) = {
	.isa = "ref",
	.type = REAL_BITS == 64 ? WS_F64 : WS_F32,
	.element = sizeof(REAL),
	.mean_scratch = 0,
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
