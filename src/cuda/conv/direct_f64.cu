/* direct_f64.cu - kernels of direct convolution whose sums are f64. */
#include "cuda/conv/direct.cuh"

const direct_code *
direct_code_f64(const direct_kind &kind)
{
	typedef plain_sum<double> plain;
	typedef carried_sum_f64 carried;
	/* [kind][dense] */
	static const direct_code codes[3][2] = {
		{ code_of<kind_of<double, plain, false, 8, 4>, 2>(),
		  code_of<kind_of<double, plain, true, 2, 16>, 3>() },
		{ code_of<kind_of<float, plain, false, 8, 4>, 2>(),
		  code_of<kind_of<float, plain, true, 2, 16>, 3>() },
		{ code_of<kind_of<double, carried, false, 4, 4>, 2>(),
		  code_of<kind_of<double, carried, true, 2, 8>, 3>() },
	};
	return &codes[kind.carried ? 2 : kind.samples == WS_F32][kind.dense];
}
