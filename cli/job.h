/*
 * job.h - the command of a transform: what its steps share.  cmd_transform.c takes them in turn,
 * job_plan.c plans the run, job_outputs.c opens what is written to and gives it its names.
 */
#ifndef CLI_JOB_H
#define CLI_JOB_H

#include "args.h"
#include "arrays.h"
#include "averages.h"
#include "checkpoint.h"
#include "cycles.h"
#include "family.h"
#include "figure.h"
#include "io/read/input.h"
#include "io/result/provenance.h"
#include "io/result/result.h"
#include "io/write/masks_write.h"
#include "outputs.h"
#include "ranks.h"
#include "report.h"
#include "summary.h"
#include "values.h"

typedef struct cli_job {
	const cli_args *args;
	cli_args replacing;       /* the same, where --resume replaces what is there */
	const cli_family *family;
	void *found;              /* the family's; NULL until it is open */
	wsi_kept found_kept;      /* that, and what it holds */
	double start;
	char output[CLI_PATH];
	wsi_input in;
	ws_ctx *ctx;
	ws_run *run;
	cli_outputs outputs;
	cli_arrays arrays;
	cli_outcome outcome;      /* of all these */
	cli_averages averages;    /* --average */
	const cli_outcome *made;  /* that is written and shown: outcome, or that of averages */
	size_t memory;            /* that nobody uses, bytes */
	wsi_provenance provenance;
	cli_checkpoint kept;      /* finished blocks */
	cli_figure figure;
	cli_report_run reported;  /* --report: its figures */
	cli_cycles cycles;
	wsi_writer *writer;
	wsi_mask_writer masks;    /* --write-masks */
	wsi_sheet picture;        /* --plot, once it is drawn */
	ws_status drawing;        /* how that went, and why not */
	char not_drawn[1024];
	bool all_write;           /* all ranks write the result */
	bool output_failed;       /* the last failure was of writing, not reading */
} cli_job;

/* Of several ranks the first writes and tells. */
static inline bool
cli_job_is_first(const cli_job *j)
{
	return cli_rank(j->args->ranks) == 0;
}

/* Context, run and outputs, of an input that is open. */
ws_status cli_job_plan(cli_job *j);
/* --dry-run. */
int cli_job_print_plan(const cli_job *j);

/* What cli_job_open_outputs() would refuse, before the samples are read: also where nothing will
 * be written. */
ws_status cli_job_check_outputs(const cli_job *j);
/* places: in the file of the first rank, which this one joins; NULL: it opens its own. */
ws_status cli_job_open_writer(cli_job *j, const wsi_places *places);
/* Opens what is written to, before hours of work are spent in vain. */
ws_status cli_job_open_outputs(cli_job *j);
/* Finishes all of these and puts them in their places. */
ws_status cli_job_commit(cli_job *j);
/* A figure that was not drawn costs itself: the result is safe by now. */
int cli_job_report_drawing(const cli_job *j);

#endif
