/*
 * mutate.h - mutators that know HDF5 and MAT 5: they change fields and structures rather than
 * bytes, and put checksums, compressed streams and lengths right again, so that what comes after
 * these checks is reached.  Linked into the targets of HDF5, MAT, EEGLAB, results and masks, with
 * libFuzzer.
 */
#ifndef WSI_FUZZ_MUTATE_H
#define WSI_FUZZ_MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* libFuzzer's own. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

/* Numbers at random; not 0 to begin with. */
typedef struct chance { uint64_t state; } chance;

static inline uint64_t
chance_next(chance *c)
{
	c->state ^= c->state << 13;
	c->state ^= c->state >> 7;
	c->state ^= c->state << 17;
	return c->state;
}

static inline size_t
chance_below(chance *c, size_t n)
{
	return n ? (size_t)(chance_next(c) >> 16) % n : 0;
}

/* Bytes of a number, up to 8, of either order. */
static inline uint64_t
get_number(const uint8_t *at, size_t width, bool big)
{
	uint64_t value = 0;
	for (size_t i = 0; i < width; ++i)
		value |= (uint64_t)at[big ? width - 1 - i : i] << 8 * i;
	return value;
}

static inline void
put_number(uint8_t *at, size_t width, bool big, uint64_t value)
{
	for (size_t i = 0; i < width; ++i)
		at[big ? width - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

/* Another value for a field that has this one: the ends of ranges, and what is near. */
uint64_t mutate_number(chance *c, uint64_t old, size_t size);

/* size, or the new one.  Files that are not theirs are left alone: 0. */
size_t mutate_hdf5(chance *c, uint8_t *data, size_t size, size_t most);
size_t mutate_mat5(chance *c, uint8_t *data, size_t size, size_t most);

#endif
