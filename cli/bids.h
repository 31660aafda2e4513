/*
 * bids.h - data sets that are laid out as BIDS has it (bids-specification.readthedocs.io): their
 * recordings of EEG, iEEG and EMG, and what results are called among its derivatives.
 */
#ifndef CLI_BIDS_H
#define CLI_BIDS_H

#include "args.h"
#include "batch_list.h"

/* Is it the name of a recording of a data set, sub-.._eeg.edf? */
bool cli_bids_is_recording(const char *path);
/* The table "..suffix" that holds for such a recording and has a line, in its folder or the nearest
 * above it within the data set: the caller's to free; *path NULL: there is none. */
ws_status cli_bids_find(char **path, const char *recording, const char *suffix);

/* Is it the root of a data set? */
bool cli_bids_is(const char *folder);

/* Adds the recordings of subjects, sessions, tasks and runs that the options name.  WS_E_IO: there
 * is none; WS_E_NOMEM. */
ws_status cli_bids_add(cli_inputs *inputs, const char *root, const cli_args *args);

/* WS_E_ARG: the options name a subject, session, task or run that no recording has. */
ws_status cli_bids_check(const cli_inputs *inputs, const cli_args *args);

/* The label: sub-01/eeg/sub-01_task-rest_desc-emd_eeg. */
ws_status cli_bids_name(cli_recording *r, const char *command);

/* Writes dataset_description.json of derivatives into the folder of results, where none is there
 * and a recording is of a data set. */
ws_status cli_bids_describe(const cli_inputs *inputs, const cli_args *args);

/* ---- What its files share -------------------------------------------------------------- */

#define CLI_BIDS_DESCRIPTION "dataset_description.json"
ws_status cli_bids_no_memory(void);
/* What stands behind the last "_" of a name: "eeg.edf". */
const char *cli_bids_suffix(const char *name);

#endif
