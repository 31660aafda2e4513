/* batch_share.c - what each of several processes at a time has of the machine. */
#include "batch_share.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu_probe.h"
#include "base/status.h"
#include "batch_child.h"
#include "machine.h"
#include "ranks.h"

#define MOST_GPUS 64

/* The GPUs that are to be used. */
typedef struct gpus {
	int n;
	struct {
		int number;         /* among the visible ones */
		size_t free;        /* bytes */
	} all[MOST_GPUS];
} gpus;

typedef struct text {
	char *bytes;
	size_t n;
	bool failed;
} text;

static void
add_line(void *user, const char *line)
{
	text *t = user;
	const size_t n = strlen(line);
	char *grown = t->failed ? NULL : realloc(t->bytes, t->n + n + 2);
	t->failed |= !grown;
	if (!grown)
		return;
	t->bytes = grown;
	memcpy(grown + t->n, line, n);
	strcpy(grown + t->n + n, "\n");
	t->n += n + 1;
}

/* Asks a process of its own, so that this one never has a context on a GPU. */
static json_t *
ask_devices(void)
{
	char *arguments[] = { "wavesift", "devices", "--json", NULL };
	cli_child child;
	text said = { 0 };
	if (cli_child_start(&child, arguments, CHILD_OUTPUT, NULL) != 0)
		return NULL;
	while (cli_child_read(&child, add_line, &said))
		;
	const int status = cli_child_end(&child);
	json_t *devices = status == 0 && !said.failed && said.bytes
	                  ? json_loads(said.bytes, 0, NULL) : NULL;
	free(said.bytes);
	return devices;
}

/* Is the GPU of the list that --device cuda:LIST has?  Of "cuda" and "auto" any is. */
static bool
is_listed(const char *device, int number)
{
	const char *list = device ? strchr(device, ':') : NULL;
	if (!list)
		return true;
	while (*list) {
		char *end;
		if (strtol(list + 1, &end, 10) == number && end > list + 1)
			return true;
		list += 1 + strcspn(list + 1, ",");
	}
	return false;
}

static void
find_gpus(gpus *g, const cli_args *args)
{
	g->n = 0;
	if (args->device && strcmp(args->device, "cpu") == 0)
		return;
	json_t *devices = ask_devices(), *gpu;
	size_t i;
	json_array_foreach(json_object_get(devices, "gpus"), i, gpu) {
		if (g->n == MOST_GPUS || !json_is_true(json_object_get(gpu, "usable"))
		    || !is_listed(args->device, (int)i))
			continue;
		g->all[g->n].number = (int)i;
		g->all[g->n++].free
			= (size_t)json_integer_value(json_object_get(gpu, "memory_free"));
	}
	json_decref(devices);
}

/* The name of a visible GPU for CUDA_VISIBLE_DEVICES: as it stands there, or its number. */
static char *
visible_name(int number)
{
	const char *all = getenv("CUDA_VISIBLE_DEVICES");
	char name[16];
	for (int i = 0; all && *all && i < number; i++) {
		all += strcspn(all, ",");
		all += *all == ',';
	}
	if (all && *all)
		return strndup(all, strcspn(all, ","));
	snprintf(name, sizeof name, "%d", number);
	return strdup(name);
}

/* Of "auto" and "cuda" the first GPU that a process sees is taken, so it is shown only its own. */
static ws_status
deal_gpu(cli_share *s, int job, int jobs, const gpus *g, const cli_args *args)
{
	if (g->n == 0)
		return WS_OK;
	const int k = job % g->n, sharing = jobs / g->n + (k < jobs % g->n);
	char device[32];
	snprintf(device, sizeof device, "cuda:%d", g->all[k].number);
	if (args->device && strchr(args->device, ':'))
		s->device = strdup(device);
	else
		s->gpus = visible_name(g->all[k].number);
	if (!s->device && !s->gpus)
		return WSI_FAIL(WS_E_NOMEM, "not enough memory for %d jobs", jobs);
	if (sharing > 1)
		s->device_memory = (args->device_memory ? args->device_memory
		                    : g->all[k].free / 10 * 9) / (size_t)sharing;
	return WS_OK;
}

ws_status
cli_shares_make(cli_share *shares, int jobs, const cli_args *args)
{
	memset(shares, 0, (size_t)jobs * sizeof *shares);
	if (jobs == 1 && !args->ranks)
		return WS_OK;
	gpus g;
	/* Ranks of a machine have its GPUs together, of threads and memory each its own share. */
	const cli_ranks_place self = cli_ranks_self(args->ranks);
	const int here = self.locals, before = self.local * jobs;
	find_gpus(&g, args);
	const int threads = args->threads ? args->threads : wsi_cpu_threads();
	const size_t memory = args->memory ? args->memory : cli_memory_default();
	for (int i = 0; i < jobs; i++) {
		shares[i].threads = threads / jobs + (i < threads % jobs);
		shares[i].threads += shares[i].threads == 0;
		shares[i].memory = memory / (size_t)jobs;
		WSI_TRY(deal_gpu(&shares[i], before + i, here * jobs, &g, args));
	}
	return WS_OK;
}

void
cli_shares_free(cli_share *shares, int jobs)
{
	for (int i = 0; i < jobs; i++) {
		free(shares[i].device);
		free(shares[i].gpus);
	}
}
