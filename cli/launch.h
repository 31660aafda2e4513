/* launch.h - was this process started as one task of several by a launcher (mpirun, srun)? */
#ifndef CLI_LAUNCH_H
#define CLI_LAUNCH_H

#include <stdbool.h>

typedef struct cli_launch {
	int tasks;         /* of one step; 1: this process is alone */
	int task;          /* its number, from 0 */
	bool deaf;         /* srun offers no way to talk to the others */
} cli_launch;

/* As variables of the launcher tell.  sbatch alone starts no step: a script in it, or a task of an
 * array, is alone. */
cli_launch cli_launch_of_us(void);

#endif
