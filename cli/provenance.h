/* provenance.h - what made a result, as facts to store beside it. */
#ifndef CLI_PROVENANCE_H
#define CLI_PROVENANCE_H

#include "args.h"
#include "input.h"
#include "io/result.h"

#define CLI_MAX_FACTS 48

typedef struct cli_facts {
	wsi_fact items[CLI_MAX_FACTS];
	size_t n;
	char *command;                /* the command line, quoted for a shell */
	char array_sha256[65];        /* of noise or directions; "" where there is no file */
	char title[512], options[256]; /* of figures */
	char model[128];              /* of the GPU */
	char names[8][32];
	size_t n_names;
} cli_facts;

/* What is known before the samples are read.  Borrows all arguments; hashes the noise
 * file. */
ws_status cli_facts_collect(cli_facts *facts, const cli_args *args, const wsi_input *in,
                            const ws_ctx *ctx, const ws_run *run);
/* Adds what is known once all is done; returns how many there were before. */
size_t cli_facts_finish(cli_facts *facts, const wsi_input *in, int64_t unfinished,
                        double seconds);
void cli_facts_free(cli_facts *facts);

/* The parameters that matter, in one line for people: "100 realizations,
 * noise 0.2, 10 sifts, seed 0". */
void cli_describe_options(const ws_emd_opts *emd, bool noise_given, char *text, size_t size);

#endif
