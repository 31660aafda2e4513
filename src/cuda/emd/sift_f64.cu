/* sift_f64.cu - the sifting kernels for double. */
#include "cuda/emd/stage/ways.cuh"

INSTANTIATE_WAYS(double);
