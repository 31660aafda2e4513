/* sift_f32.cu - the sifting kernels for float. */
#include "cuda/stage/sift.cuh"

template cudaError_t sift_start(const sift_rows<float> &, const int *, int, cudaStream_t);
template cudaError_t sift_step(const sift_rows<float> &, int, int, cudaStream_t);
template cudaError_t sift_resident(const sift_rows<float> &, const int *, int, cudaStream_t);
template cudaError_t sift_finish(const sift_rows<float> &, const int *, int, cudaStream_t);
template bool sift_early<float>();
template int sift_warps<float>(int, size_t);
template int sift_few<float>(int, size_t);
template cudaError_t sift_team_blocks<float>(int, int, int *);
template int sift_most_team_blocks<float>(int, int);
template bool sift_stays<float>(const sift_rows<float> &, int);
template bool sift_ahead<float>(const sift_rows<float> &, int);
template bool sift_relays(const sift_rows<float> &, int);
template cudaError_t sift_relay(const sift_rows<float> &, int, cudaStream_t);
template cudaError_t sift_left(const sift_rows<float> &, int, cudaStream_t);
template cudaError_t sift_relay_blocks<float>(int, int, int *);
