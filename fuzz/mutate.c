/* mutate.c - which mutator; see mutate.h. */
#include "mutate.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed);

uint64_t
mutate_number(chance *c, uint64_t old, size_t size)
{
	const uint64_t ends[] = { 0, 1, 2, 3, 4, 7, 8, 16, 31, 32, 33, 64, 0x7f, 0x80, 0xff, 0x100,
		0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000,
		INT64_MAX, (uint64_t)1 << 63, UINT64_MAX, UINT64_MAX - 1, size, size - 1,
		size / 2 };
	switch (chance_below(c, 8)) {
	case 0: return old + 1;
	case 1: return old - 1;
	case 2: return old * 2;
	case 3: return old ^ (uint64_t)1 << chance_below(c, 64);
	case 4: return chance_below(c, size + 16);
	default: return ends[chance_below(c, sizeof ends / sizeof *ends)];
	}
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed)
{
	chance c = { ((uint64_t)seed << 20) + 0x9e3779b97f4a7c15u };
	size_t n = 0;
	chance_next(&c);
	/* One in eight as bytes, for what these two do not think of. */
	if (chance_below(&c, 8) > 0) {
		n = mutate_hdf5(&c, data, size, most);
		if (!n)
			n = mutate_mat5(&c, data, size, most);
	}
	return n ? n : LLVMFuzzerMutate(data, size, most);
}
