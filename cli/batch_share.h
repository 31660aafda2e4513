/* batch_share.h - what each of several processes at a time has of the machine. */
#ifndef CLI_BATCH_SHARE_H
#define CLI_BATCH_SHARE_H

#include "args.h"

typedef struct cli_share {
	int threads;
	size_t memory, device_memory; /* bytes; 0: as by default */
	char *device;      /* as --device takes it; NULL: as it was given */
	double max_time;   /* s that are left, as --max-time takes it; 0: not given */
	char *gpus;        /* CUDA_VISIBLE_DEVICES; NULL: as it is */
} cli_share;

/* Fills shares[jobs].  One job has all that options say.  Threads and memory are divided evenly;
 * GPUs are dealt out one after another, to one job each or to several, which then divide its
 * memory.  WS_E_NOMEM; cli_shares_free() is due in any case. */
ws_status cli_shares_make(cli_share *shares, int jobs, const cli_args *args);
void cli_shares_free(cli_share *shares, int jobs);

#endif
