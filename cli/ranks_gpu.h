/* ranks_gpu.h - the GPUs of a machine among the ranks on it. */
#ifndef CLI_RANKS_GPU_H
#define CLI_RANKS_GPU_H

#include "ranks.h"
#include "run/program.h"

/* Gives this rank one of them to see, before anything of CUDA is called: of the list that --device
 * or CUDA_VISIBLE_DEVICES has, or of all, that of its number on this machine.  Where each rank was
 * given one by its launcher it keeps that.  The exit status of a refusal, or -1: two ranks on one
 * GPU are refused. */
int cli_ranks_take_gpu(const cli_ranks *ranks, cli_args *args);

/* Whatever launchers have shown whom: WS_E_BACKEND where the runs of two ranks have a GPU in
 * common.  All call it. */
ws_status cli_ranks_part_gpus(cli_ranks *ranks, const ws_run *run);

#endif
