/*
 * both_types.h - includes TEMPLATE, the name of a file, for f64 and then for f32, with SCALAR,
 * REAL_BITS and FN (real.h).
 */
#define SCALAR double
#define REAL_BITS 64
#define FN(name) name##_f64
#include TEMPLATE
#undef SCALAR
#undef REAL_BITS
#undef FN

#define SCALAR float
#define REAL_BITS 32
#define FN(name) name##_f32
#include TEMPLATE
#undef SCALAR
#undef REAL_BITS
#undef FN
#undef TEMPLATE
