/* ranks_gpu.c - the GPUs of a machine among the ranks on it. */
#include "ranks_gpu.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/library.h"
#include "base/new.h"
#include "message.h"

#define CHOOSES "CUDA_VISIBLE_DEVICES"

static int
entries(const char *list)
{
	int n = *list != '\0';
	for (; *list; list++)
		n += *list == ',';
	return n;
}

/* Entry i of a list with commas. */
static void
entry(const char *list, int i, char *text, size_t size)
{
	for (; i > 0; i--)
		list += strcspn(list, ",") + 1;
	snprintf(text, size, "%.*s", (int)strcspn(list, ","), list);
}

/* Files of GPUs: /dev/nvidia0, .. */
static int
count_files(void)
{
	DIR *dev = opendir("/dev");
	int n = 0;
	for (struct dirent *e; dev && (e = readdir(dev));)
		n += strncmp(e->d_name, "nvidia", 6) == 0 && isdigit((unsigned char)e->d_name[6]);
	if (dev)
		closedir(dev);
	return n;
}

static int
refuse(int ranks, int gpus)
{
	return cli_fail(EXIT_DEVICE, "%d ranks would share %d GPU%s: start one rank for each GPU "
	                "of a machine, or use --device cpu", ranks, gpus, gpus == 1 ? "" : "s");
}

int
cli_ranks_take_gpu(const cli_ranks *r, cli_args *args)
{
	static char device[80]; /* that args->device is from then on */
	char path[PATH_MAX], number[64];
	const int here = cli_ranks_self(r).locals, local = cli_ranks_self(r).local;
	const bool none = args->device && strcmp(args->device, "cpu") == 0;
	/* A batch deals them out among processes of its own. */
	if (here == 1 || none || args->output_dir || !wsi_library_find("libwavesift_cuda.so", path))
		return -1;
	const char *list = args->device ? strchr(args->device, ':') : NULL;
	const char *visible = getenv(CHOOSES);
	const int n = list ? entries(list + 1) : visible ? entries(visible) : count_files();
	/* A launcher may have shown each rank its own, as the only one. */
	if (n == 0 || (n == 1 && !list && visible))
		return -1;
	if (here > n)
		return refuse(here, n);
	if (list) {
		entry(list + 1, local, number, sizeof number);
		snprintf(device, sizeof device, "cuda:%s", number);
		args->device = device;
		return -1;
	}
	if (visible)
		entry(visible, local, number, sizeof number);
	else
		snprintf(number, sizeof number, "%d", local);
	return setenv(CHOOSES, number, 1) == 0 ? -1
	       : cli_fail(EXIT_NOROOM, "not enough memory for the environment");
}

/* A GPU's number as two. */
typedef struct gpu_number { int64_t half[2]; } gpu_number;

static int
by_number(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(gpu_number));
}

/* numbers[all], each rank's in its place, as all ranks have them. */
static ws_status
compare(cli_ranks *r, gpu_number *numbers, size_t all)
{
	WSI_TRY(cli_ranks_least(r, (int64_t *)numbers, 2 * all));
	qsort(numbers, all, sizeof *numbers, by_number);
	for (size_t i = 1; i < all; i++)
		if (numbers[i].half[0] != INT64_MAX && by_number(&numbers[i], &numbers[i - 1]) == 0)
			return WSI_FAIL(WS_E_BACKEND, "two of %d ranks would share one GPU, which "
			                "each was shown: give each its own (srun "
			                "--gpus-per-task=1, or `device cuda:0,1,..` of all), start "
			                "one rank for each GPU of a machine, or use `device cpu`",
			                cli_ranks_count(r));
	return WS_OK;
}

ws_status
cli_ranks_part_gpus(cli_ranks *r, const ws_run *run)
{
	size_t most = 0, own = 0;
	while (wsi_run_gpu(run, (int)own))
		own++;
	most = own;
	WSI_TRY(cli_ranks_most(r, &most, 1));
	const size_t all = most * (size_t)cli_ranks_count(r);
	if (all == 0)
		return WS_OK;
	gpu_number *numbers = malloc(all * sizeof *numbers);
	WSI_HAVE(numbers, "no memory for the GPUs of %d ranks", cli_ranks_count(r));
	for (size_t i = 0; i < all; i++)
		numbers[i] = (gpu_number){ { INT64_MAX, INT64_MAX } };
	for (size_t i = 0; i < own; i++)
		memcpy(&numbers[(size_t)cli_rank(r) * most + i], wsi_run_gpu(run, (int)i),
		       sizeof *numbers);
	const ws_status status = compare(r, numbers, all);
	free(numbers);
	return status;
}
