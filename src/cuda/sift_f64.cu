/* sift_f64.cu - the sifting kernels for double. */
#include "cuda/stage/sift.cuh"

template cudaError_t sift_start(const sift_rows<double> &, const int *, int, cudaStream_t);
template cudaError_t sift_step(const sift_rows<double> &, int, int, cudaStream_t);
template cudaError_t sift_resident(const sift_rows<double> &, const int *, int, cudaStream_t);
template cudaError_t sift_finish(const sift_rows<double> &, const int *, int, cudaStream_t);
template bool sift_early<double>();
template int sift_warps<double>(int, size_t);
template int sift_few<double>(int, size_t);
template cudaError_t sift_team_blocks<double>(int, int, int *);
template int sift_most_team_blocks<double>(int, int);
template bool sift_stays<double>(const sift_rows<double> &, int);
template bool sift_ahead<double>(const sift_rows<double> &, int);
template bool sift_relays(const sift_rows<double> &, int);
template cudaError_t sift_relay(const sift_rows<double> &, int, cudaStream_t);
template cudaError_t sift_left(const sift_rows<double> &, int, cudaStream_t);
template cudaError_t sift_relay_blocks<double>(int, int, int *);
