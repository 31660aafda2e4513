/* estimate.c - what --dry-run expects of a whole command. */
#include "estimate.h"

#include <string.h>

/* On one core of a server of 2023.  Start: the program, and that of a GPU (bench/cuda/commands.py).
 * Reading: a sample to the plan's type, and its share of the checksum. */
#define START 0.02
#define START_GPU 0.35
#define READ_SAMPLE 3e-9
#define WRITE_BYTE 0.8e-9
#define WRITE_BYTE_TEXT 12e-9
#define WRITE_BYTE_DEFLATED 25e-9

/* An HDF5 file beside its arrays: provenance, axes, checksums. */
#define FILE_BYTES 48e3

static double
file_bytes(const cli_outcome *o)
{
	const char *dot = strrchr(o->output, '.');
	return dot && strcmp(dot, ".h5") == 0 ? FILE_BYTES : 0;
}

static double
write_byte(const cli_outcome *o)
{
	const char *dot = strrchr(o->output, '.');
	const bool text = strcmp(o->output, "-") == 0 ||
		(dot && (strcmp(dot, ".csv") == 0 || strcmp(dot, ".tsv") == 0));
	return text ? WRITE_BYTE_TEXT : o->args->compress ? WRITE_BYTE_DEFLATED : WRITE_BYTE;
}

cli_estimate
cli_estimate_of(const cli_outcome *o)
{
	const double bytes = cli_outputs_bytes(o->outputs, (double)o->in->samples,
	                                       (ws_type)o->args->store) + file_bytes(o);
	const double samples = (double)o->in->n_channels * (double)o->in->n_epochs *
		(double)o->in->samples;
	const double work = ws_run_seconds(o->run);
	const double files = samples * READ_SAMPLE + bytes * write_byte(o);
	const double longer = work > files ? work : files, shorter = work + files - longer;
	const bool gpu = ws_run_device_bytes(o->run) > 0;
	/* A block is read, and another written, while those between are worked on. */
	return (cli_estimate){ bytes, (gpu ? START_GPU : START) + longer +
		                       shorter / (double)ws_run_blocks(o->run) };
}
