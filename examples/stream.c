/*
 * stream.c - a recording that is larger than the memory it may take: channels come and go by
 * callback, with progress, and a way to stop.
 *
 *     cc stream.c $(pkg-config --cflags --libs wavesift) -lm -o stream
 */
#include <math.h>
#include <signal.h>
#include <stdio.h>

#include <wavesift/wavesift.h>

/* More power than that passes through the memory. */
enum { CHANNELS = 16, SAMPLES = 8000, MEMORY = 2 << 20 };
static volatile sig_atomic_t interrupted;

static void
interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
}

/* What a file would be read for. */
static ws_status
read_channel(void *user, size_t channel, void *x)
{
	(void)user;
	for (int n = 0; n < SAMPLES; ++n)
		((float *)x)[n] = (float)sin(0.02 * (double)(channel + 1) * n);
	return WS_OK;
}

/* Of a channel that does not fit, some frequencies at a time. */
static ws_status
write_channel(void *user, const ws_channel_result *result)
{
	double *sum = user;
	ws_slab power = { .size = sizeof power };
	const ws_status status = ws_result_slab(result, WS_CWT_POWER, &power);
	for (size_t i = 0; status == WS_OK && i < power.extent[0] * power.extent[1]; ++i)
		sum[result->channel] += ((const float *)power.data)[i] / SAMPLES;
	return status;
}

static int
progress(void *user, double done)
{
	(void)user;
	fprintf(stderr, "\r%3.0f %%%s", 100 * done, done < 1 ? "" : "\n");
	return interrupted;
}

int
main(void)
{
	static double sum[CHANNELS];
	const ws_shape shape = { .size = sizeof shape, .channels = CHANNELS, .samples = SAMPLES,
		.type = WS_F32, .fs = 1000 };
	const ws_cwt_opts opts = { .size = sizeof opts, .tag = WS_TAG_CWT,
		.quantity = WS_QUANTITY_POWER, .voices = 2 };
	const ws_stream stream = { .size = sizeof stream, .read = read_channel,
		.write = write_channel, .progress = progress, .user = sum };
	ws_ctx *ctx;
	ws_run *run = NULL;
	signal(SIGINT, interrupt);
	ws_status status = ws_ctx_create(&ctx, NULL);
	if (status == WS_OK)
		status = ws_run_create(&run, ctx, "cwt", &shape, &opts, MEMORY);
	if (status == WS_OK)
		status = ws_run_execute(run, &stream);
	if (status != WS_OK)
		fprintf(stderr, "%s: %s\n", ws_status_name(status), ws_error_detail());
	else
		printf("%zu blocks in %.0f MiB; power of the last channel %.2f\n",
		       ws_run_blocks(run), (double)ws_run_bytes(run) / 1048576, sum[CHANNELS - 1]);
	ws_run_destroy(run);
	ws_ctx_destroy(ctx);
	return status != WS_OK;
}
