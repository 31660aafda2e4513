/* direct_tensor.cu - kernels of direct convolution in f64 with groups on tensor cores. */
#include "cuda/conv/direct.cuh"

const direct_code *
direct_code_tensor(const direct_kind &kind)
{
	typedef plain_sum<double> plain;
	static const direct_code codes[2] = {
		code_of<kind_of<double, plain, true, 2, 16, true>, 3>(),
		code_of<kind_of<float, plain, true, 2, 16, true>, 3>(),
	};
	return &codes[kind.samples == WS_F32];
}
