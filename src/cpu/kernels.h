/*
 * kernels.h - template: all kernels of one instruction set and element type,
 * and their table.  math/both_types.h includes it once per type.  Before: ISA_NAME, "avx512",
 * and the instruction set for simd.h.
 */
#define REAL SCALAR
#define FMA(a, b, c) FN(scalar_fma)((a), (b), (c))
#include "cpu/simd.h"
#include "math/cubic.h"
#include "math/joint.h"
#include "math/plateau.h"
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

#include "cpu/emd/half_waves_simd.h"
#include "cpu/emd/knots_simd.h"
#include "cpu/emd/mark_simd.h"
#include "cpu/emd/spline_simd.h"
#include "cpu/emd/mean_sub_simd.h"
#include "cpu/emd/rows_simd.h"
#include "cpu/emd/joint_project_simd.h"
#include "cpu/emd/joint_rows_simd.h"
#include "cpu/emd/joint_mean_simd.h"
#include "cpu/conv/conv_simd.h"
#include "ops/conv_rows.h"
#include "math/angle.h"
#include "cpu/fft/fft_simd.h"
#if REAL_BITS == 64
#include "cpu/hht/hilbert_simd.h"
#endif
#include "cpu/cwt/cwt_simd.h"

#define MEAN_SCRATCH sizeof(FN(mean_scratch))
#include "ops/table.h"
#undef MEAN_SCRATCH

#undef REAL
#undef FMA
#undef LANES
#undef PCR_BLOCK
#undef PCR_ROWS
#undef TILE_KNOTS
#undef LIST_CAPACITY
