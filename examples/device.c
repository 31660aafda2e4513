/*
 * device.c - signals that are in a GPU's memory already, such as a network's: power over time and
 * frequency is made there, on a stream of one's own, and no sample visits the host.
 *
 *     nvcc device.c $(pkg-config --cflags --libs wavesift) -o device
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime.h>
#include <wavesift/wavesift.h>

enum { CHANNELS = 8, SAMPLES = 4096, FREQUENCIES = 32 };

static int
failed(void)
{
	fprintf(stderr, "%s\n", ws_error_detail());
	return 1;
}

int
main(void)
{
	static float host[CHANNELS][SAMPLES], row[SAMPLES];
	for (int c = 0; c < CHANNELS; ++c)
		for (int n = 0; n < SAMPLES; ++n)
			host[c][n] = (float)sin(6.283185307179586 * (c + 1) * 5 * n / 250);
	float *x, *power;
	cudaStream_t stream;
	const size_t bytes = (size_t)CHANNELS * FREQUENCIES * sizeof row;
	if (cudaStreamCreate(&stream) != cudaSuccess ||
	    cudaMalloc((void **)&x, sizeof host) != cudaSuccess ||
	    cudaMalloc((void **)&power, bytes) != cudaSuccess)
		return 1;
	cudaMemcpyAsync(x, host, sizeof host, cudaMemcpyHostToDevice, stream);

	ws_ctx_opts context;
	ws_cwt_opts opts;
	ws_ctx_opts_init(&context, sizeof context);
	ws_cwt_opts_init(&opts, sizeof opts);
	context.device = "cuda";
	opts.quantity = WS_QUANTITY_POWER;
	opts.freqs.low = 2;
	opts.freqs.high = 60;
	opts.freqs.count = FREQUENCIES;
	const ws_shape shape = { .size = sizeof shape, .channels = CHANNELS, .samples = SAMPLES,
		.type = WS_F32, .fs = 250 };
	ws_ctx *ctx;
	ws_plan *plan;
	if (ws_ctx_create(&ctx, &context) != WS_OK ||
	    ws_plan_create(&plan, ctx, "cwt", &shape, &opts) != WS_OK)
		return failed();

	ws_buffer arrays[WS_CWT_ARRAYS] = { { NULL, { 0 } } };
	arrays[WS_CWT_POWER].data = power;
	ws_io io = { .size = sizeof io, .x = x, .arrays = arrays, .n_arrays = WS_CWT_ARRAYS,
		.memory = WS_MEMORY_DEVICE, .cuda_stream = stream };
	void *workspace = aligned_alloc(64, (ws_plan_workspace(plan) + 63) / 64 * 64);
	/* After what is on the stream; it returns before its work is done. */
	if (ws_execute(plan, &io, workspace) != WS_OK)
		return failed();
	cudaMemcpyAsync(row, power + (size_t)20 * SAMPLES, sizeof row, cudaMemcpyDeviceToHost,
	                stream);
	cudaStreamSynchronize(stream);
	printf("power of channel 0 in the middle %.2f\n", row[SAMPLES / 2]);
	free(workspace);
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
	cudaFree(x), cudaFree(power), cudaStreamDestroy(stream);
	return 0;
}
