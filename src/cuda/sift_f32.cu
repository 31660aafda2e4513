/* sift_f32.cu - the sifting kernels for float. */
#include "cuda/stage/ways.cuh"

INSTANTIATE_WAYS(float);
