/* joint_f64.cu - the kernels of joint sifting for double. */
#include "cuda/emd/stage/joint_knots.cuh"
#include "cuda/emd/stage/joint_rows.cuh"
#include "cuda/emd/stage/joint_share.cuh"
#include "cuda/emd/stage/joint_subtract.cuh"

template cudaError_t joint_load<double>();
template cudaError_t joint_gather(const joint_signal<double> &, const double *, size_t,
                                  cudaStream_t);
template cudaError_t joint_scatter(const joint_signal<double> &, int, bool, double *, size_t,
                                   double *, size_t, cudaStream_t);
template cudaError_t joint_project(const joint_signal<double> &, int, cudaStream_t);
template cudaError_t joint_find_knots(const joint_signal<double> &, int, cudaStream_t);
template cudaError_t joint_take_steps(const joint_signal<double> &, int, const joint_others &,
                                      cudaStream_t);
template cudaError_t joint_subtract_mean(const joint_signal<double> &, int, bool, bool,
                                         cudaStream_t);
