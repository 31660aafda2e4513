/* ref_real.h - template: the reference table of one element type. */
#define REAL SCALAR
#define FMA(a, b, c) FN(scalar_fma)((a), (b), (c))
#include "math/cubic.h"
#include "math/envelope.h"
#include "math/joint.h"
#include "math/joint_channel.h"
#include "math/slopes.h"
#include "math/spline.h"
#include "ops/ref/half_waves_ref.h"
#include "ops/ref/mark_ref.h"
#include "ops/ref/mean_sub_ref.h"
#include "ops/ref/rows_ref.h"
#include "ops/ref/joint_rows_ref.h"
#include "ops/ref/joint_ref.h"
#include "math/compensated.h"
#include "ops/ref/conv_ref.h"
#include "ops/conv_rows.h"
#include "math/angle.h"
#include "ops/ref/cwt_ref.h"

#include "ops/table.h"
#undef REAL
#undef FMA
