/*
 * fused.h - functions of many fma() are made twice where a machine may have the instruction or may
 * not: inline in one that is WSI_FUSED, and in one that is not.  Both give the same bits; a call of
 * the C library's takes five times as long.
 */
#ifndef WSI_FUSED_H
#define WSI_FUSED_H

#if defined(__x86_64__)
#define WSI_FUSED __attribute__((target("fma")))
#define WSI_HAS_FUSED() __builtin_cpu_supports("fma")
#else
#define WSI_FUSED
#define WSI_HAS_FUSED() 0
#endif
#define WSI_IN_BOTH inline __attribute__((always_inline))

#endif
