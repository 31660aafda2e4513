/* direct_parted.cu - kernels of direct convolution whose sums are parted by magnitude. */
#include "cuda/conv/direct.cuh"

template <class T, int N, int V>
static direct_code
code_of_parts(bool dense)
{
	typedef parted_sum<T, N> sum;
	return dense ? code_of<kind_of<T, sum, true, 1, V>, 2>()
	       : code_of<kind_of<T, sum, false, 1, V>, 2>();
}

template <class T>
static const direct_code *
code_of_type(const direct_kind &kind)
{
	/* [dense][accumulators]: 5 to 8 take a kernel of 8. */
	static const direct_code codes[2][4] = {
		{ code_of_parts<T, 2, 4>(false), code_of_parts<T, 3, 4>(false),
		  code_of_parts<T, 4, 4>(false), code_of_parts<T, 8, 4>(false) },
		{ code_of_parts<T, 2, 8>(true), code_of_parts<T, 3, 8>(true),
		  code_of_parts<T, 4, 8>(true), code_of_parts<T, 8, 4>(true) },
	};
	return &codes[kind.dense][kind.accumulators > 4 ? 3 : kind.accumulators - 2];
}

const direct_code *
direct_code_parted(const direct_kind &kind)
{
	return kind.sums == WS_F64 ? code_of_type<double>(kind) : code_of_type<float>(kind);
}
