/*
 * provenance.h - what made a result, as facts to store beside it: program, input, options in
 * force, and where the work was done.
 */
#ifndef WSI_IO_PROVENANCE_H
#define WSI_IO_PROVENANCE_H

#include "base/kept.h"
#include "io/read/input.h"
#include "io/result/result.h"

#define WSI_MOST_FILES 4

typedef struct wsi_provenance {
	ws_fact *items;
	size_t n, room;
	char *title, *options;        /* of figures */
	ws_option_file files[WSI_MOST_FILES + 1]; /* with their checksums */
	char *command;                /* the command line, quoted for a shell; or NULL */
	char sha256[WSI_MOST_FILES][65];
	char events_sha256[65], channels_sha256[65];
	wsi_kept kept;                /* texts; failed: what there is is not whole */
} wsi_provenance;

/* Whence it comes.  All is borrowed as long as the provenance is used. */
typedef struct wsi_origin {
	const ws_transform *transform;
	const ws_ctx *ctx;
	const ws_run *run;
	int threads;                  /* of all processes that share the work; 0: those of ctx */
	const wsi_input *in;
	const ws_option_file *files;  /* without checksums, at most WSI_MOST_FILES; or NULL */
	char **command_line;          /* argv, NULL at its end; or NULL */
	const char *input;            /* as the user named it; "-": standard input */
	const char *epochs;           /* as the user selected them; NULL: all */
	const char *epochs_at;        /* events around which they are cut; or NULL */
	bool average;                 /* the result has means over epochs */
} wsi_origin;

/* What is known before the samples are read.  Takes the checksums of the files.  On failure
 * wsi_provenance_free() is still due. */
ws_status wsi_provenance_collect(wsi_provenance *p, const wsi_origin *origin);
/* Adds what is known once all is done; returns how many there were before. */
size_t wsi_provenance_finish(wsi_provenance *p, const wsi_input *in, double seconds);
/* argv as one line that a shell would take apart again; NULL: no memory. */
char *wsi_provenance_command(wsi_kept *kept, char **argv);
void wsi_provenance_add(wsi_provenance *p, const char *key, int64_t value);
void wsi_provenance_add_text(wsi_provenance *p, const char *key, const char *text);
/* WS_E_NOMEM: a fact was lost.  To be asked before a record is written. */
ws_status wsi_provenance_check(const wsi_provenance *p);
void wsi_provenance_free(wsi_provenance *p);

/* Samples interpolated, once all are read. */
size_t wsi_input_mended(const wsi_input *in);

/* Model of the GPU that device ("cuda:1", "cuda:0,2": the first) names; false where it is "cpu". */
#define WSI_GPU_MODEL 128 /* as long as in ws_device */
bool wsi_gpu_model(const char *device, char model[WSI_GPU_MODEL]);

#endif
