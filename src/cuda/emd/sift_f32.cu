/* sift_f32.cu - the sifting kernels for float. */
#include "cuda/emd/stage/ways.cuh"

INSTANTIATE_WAYS(float);
