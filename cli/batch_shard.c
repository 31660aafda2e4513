/* batch_shard.c - a share of the recordings of a batch. */
#include "batch_shard.h"

#include <stdlib.h>
#include <string.h>

#include "base/new.h"
#include "message.h"

/* A whole number, above 0; 0 where it is none. */
static int
whole(const char *text, const char *end)
{
	char *stop;
	if (!text || *text < '0' || *text > '9')
		return 0;
	const long value = strtol(text, &stop, 10);
	return stop == end && value > 0 && value <= 1000000 ? (int)value : 0;
}

static int
from_environment(const char *name)
{
	const char *text = getenv(name);
	return text ? whole(text, text + strlen(text)) : 0;
}

static int
parse_slurm(cli_shard *shard)
{
	if (!getenv("SLURM_ARRAY_TASK_ID"))
		return cli_fail(EXIT_USAGE, "--shard slurm: this is no task of a Slurm array; "
		                "start one by sbatch --array=1-N");
	shard->i = from_environment("SLURM_ARRAY_TASK_ID");
	shard->n = from_environment("SLURM_ARRAY_TASK_COUNT");
	if (from_environment("SLURM_ARRAY_TASK_MIN") != 1 || !shard->n || !shard->i
	    || from_environment("SLURM_ARRAY_TASK_MAX") != shard->n || shard->i > shard->n)
		return cli_fail(EXIT_USAGE, "--shard slurm: the array's tasks are not 1 to N "
		                "without holes; start it by sbatch --array=1-N");
	return -1;
}

int
cli_shard_parse(cli_shard *shard, const char *text)
{
	*shard = (cli_shard){ 0 };
	if (!text)
		return -1;
	if (strcmp(text, "slurm") == 0)
		return parse_slurm(shard);
	const char *slash = strchr(text, '/');
	shard->i = slash ? whole(text, slash) : 0;
	shard->n = slash ? whole(slash + 1, text + strlen(text)) : 0;
	if (!shard->i || !shard->n || shard->i > shard->n)
		return cli_fail(EXIT_USAGE, "--shard %s: I/N is needed, such as 1/8, with I from 1 "
		                "to N; or slurm", text);
	return -1;
}

double
cli_recording_weight(const cli_recording *r)
{
	return (double)r->bytes + 1e5;
}

static int
by_size(const void *a, const void *b)
{
	const cli_recording *x = a, *y = b;
	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return strcmp(x->label, y->label);
}

ws_status
cli_inputs_shard(cli_inputs *in, const cli_shard *shard)
{
	if (shard->n == 0)
		return WS_OK;
	double *given;
	WSI_NEW(given, (size_t)shard->n, "not enough memory for %d shares", shard->n);
	qsort(in->all, in->n, sizeof *in->all, by_size);
	size_t kept = 0;
	for (size_t k = 0; k < in->n; k++) {
		int least = 0;
		for (int i = 1; i < shard->n; i++)
			if (given[i] < given[least])
				least = i;
		given[least] += cli_recording_weight(&in->all[k]);
		if (least == shard->i - 1) {
			const cli_recording moved = in->all[kept];
			in->all[kept++] = in->all[k];
			in->all[k] = moved;
		}
	}
	free(given);
	for (size_t k = kept; k < in->n; k++)
		cli_recording_free(&in->all[k]);
	in->n = kept;
	cli_inputs_sort(in);
	return WS_OK;
}
