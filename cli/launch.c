/* launch.c - was this process started as one task of several by a launcher? */
#include "launch.h"

#include <stddef.h>
#include <stdlib.h>

/* A whole number from the environment, or `none`. */
static int
number(const char *name, int none)
{
	const char *text = getenv(name);
	char *end;
	if (!text || *text < '0' || *text > '9')
		return none;
	const long value = strtol(text, &end, 10);
	return *end == '\0' && value <= 1 << 24 ? (int)value : none;
}

cli_launch
cli_launch_of_us(void)
{
	/* Open MPI; MPICH and its like, also below srun --mpi=pmi2; Slurm.  The first that is there
	 * tells: mpirun may itself use srun, for one task a node. */
	static const struct { const char *tasks, *task; } launchers[] = {
		{ "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK" },
		{ "PMI_SIZE", "PMI_RANK" },
		{ "SLURM_STEP_NUM_TASKS", "SLURM_PROCID" },
	};
	const size_t n = sizeof launchers / sizeof *launchers;
	for (size_t i = 0; i < n; i++) {
		const int tasks = number(launchers[i].tasks, 0);
		if (tasks < 1)
			continue;
		const bool slurm = i == n - 1;
		return (cli_launch){ tasks, number(launchers[i].task, 0),
			slurm && !getenv("PMIX_RANK") && !getenv("PMI_FD") };
	}
	return (cli_launch){ .tasks = 1 };
}
