/* direct_f32.cu - kernels of direct convolution whose sums are f32. */
#include "cuda/conv/direct.cuh"

const direct_code *
direct_code_f32(const direct_kind &kind)
{
	typedef plain_sum<float> plain;
	typedef carried_sum_f32 carried;
	/* [carried][dense] */
	static const direct_code codes[2][2] = {
		{ code_of<kind_of<float, plain, false, 8, 8>, 2>(),
		  code_of<kind_of<float, plain, true, 8, 8>, 4>() },
		{ code_of<kind_of<float, carried, false, 4, 8>, 2>(),
		  code_of<kind_of<float, carried, true, 4, 8>, 4>() },
	};
	return &codes[kind.carried][kind.dense];
}
