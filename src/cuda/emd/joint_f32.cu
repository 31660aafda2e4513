/* joint_f32.cu - the kernels of joint sifting for float. */
#include "cuda/emd/stage/joint_knots.cuh"
#include "cuda/emd/stage/joint_rows.cuh"
#include "cuda/emd/stage/joint_share.cuh"
#include "cuda/emd/stage/joint_subtract.cuh"

template cudaError_t joint_load<float>();
template cudaError_t joint_gather(const joint_signal<float> &, const float *, size_t, cudaStream_t);
template cudaError_t joint_scatter(const joint_signal<float> &, int, bool, float *, size_t, float *,
                                   size_t, cudaStream_t);
template cudaError_t joint_project(const joint_signal<float> &, int, cudaStream_t);
template cudaError_t joint_find_knots(const joint_signal<float> &, int, cudaStream_t);
template cudaError_t joint_take_steps(const joint_signal<float> &, int, const joint_others &,
                                      cudaStream_t);
template cudaError_t joint_subtract_mean(const joint_signal<float> &, int, bool, bool,
                                         cudaStream_t);
