/* estimate.h - what --dry-run expects of a whole command: its result, and its time. */
#ifndef CLI_ESTIMATE_H
#define CLI_ESTIMATE_H

#include "family.h"

typedef struct cli_estimate {
	double bytes;   /* of the result before compression, with as many modes as are likely */
	double seconds; /* of start, work, reading and writing */
} cli_estimate;

cli_estimate cli_estimate_of(const cli_outcome *o);

#endif
