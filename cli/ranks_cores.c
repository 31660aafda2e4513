/* ranks_cores.c - the processors of a machine among the ranks on it. */
#include "ranks_cores.h"

#include <stdlib.h>

#include "base/cpu_probe.h"
#include "base/new.h"

static bool
may_use(const cli_cores *c, int core)
{
	return c->may[core / 8] >> core % 8 & 1;
}

int
cli_cores_share(const cli_cores *ranks, int n, int of)
{
	int mine = 0, dealt = 0;
	for (int core = 0; core < CLI_CORES; core++) {
		int users = 0, before = 0;
		for (int i = 0; i < n; i++) {
			users += may_use(&ranks[i], core);
			before += i < of && may_use(&ranks[i], core);
		}
		if (users < 2) {
			mine += may_use(&ranks[of], core);
			continue;
		}
		/* Ranks that see the same cores take turns. */
		mine += may_use(&ranks[of], core) && dealt % users == before;
		dealt++;
	}
	return mine ? mine : 1;
}

ws_status
cli_ranks_cores(const wsi_ranks *mpi, const wsi_rank *rank, int *threads, int *cores)
{
	const int granted = wsi_cpu_threads();
	cli_cores own, *all = calloc((size_t)rank->locals, sizeof *all);
	char text[256];
	WSI_HAVE(all, "no memory for %d ranks", rank->locals);
	wsi_cpu_mask(own.may, sizeof own.may);
	const int error = mpi->local_all(&own, sizeof own, all);
	*threads = error ? 1 : cli_cores_share(all, rank->locals, rank->local);
	*cores = error ? 1 : cli_cores_share(&own, 1, 0);
	free(all);
	if (error)
		return WSI_FAIL(WS_E_BACKEND, "MPI: %s", mpi->tell(error, text));
	/* A control group may grant less than the cores that it shows, to all ranks together. */
	const int quota = granted < *cores ? granted / rank->locals : granted;
	*threads = *threads < quota ? *threads : quota > 1 ? quota : 1;
	return WS_OK;
}
