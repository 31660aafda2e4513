/*
 * overloads.h - for C++: includes TEMPLATE, the name of a file, for double and then for float, as
 * functions of one name, with REAL, REAL_BITS, FMA and FN (real.h).
 */
#define FN(name) name
#define FMA(a, b, c) fma((a), (b), (c))
#define REAL double
#define REAL_BITS 64
#include TEMPLATE
#undef REAL
#undef REAL_BITS
#define REAL float
#define REAL_BITS 32
#include TEMPLATE
#undef REAL
#undef REAL_BITS
#undef FN
#undef FMA
#undef TEMPLATE
