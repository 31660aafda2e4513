/* ranks_messages.h - what ranks say to each other, and that one has failed. */
#ifndef CLI_RANKS_MESSAGES_H
#define CLI_RANKS_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>

#include "wavesift/wavesift.h"

typedef struct cli_ranks cli_ranks;

/* ---- Messages to rank 0 -------------------------------------------------------- */

/* A message of so many bytes, to be filled and posted.  Waits until at most `room` bytes are on
 * their way, or none.  WS_E_NOMEM, WS_E_BACKEND; WS_E_CANCELLED: a rank has failed, or a signal
 * came, and cli_ranks_close() is to follow. */
ws_status cli_ranks_compose(cli_ranks *ranks, size_t bytes, size_t room, void **data);
/* tag: above 0, for whom it is meant. */
ws_status cli_ranks_post(cli_ranks *ranks, int tag);
/* Waits until all have arrived, or at least left. */
ws_status cli_ranks_flush(cli_ranks *ranks);

/* Takes what has come, if anything, for no longer than it keeps coming, or some time; on rank 0
 * each message is handed over.  WS_E_CANCELLED: as above; or what take() gave. */
typedef ws_status (*cli_ranks_take)(void *user, int from, int tag, const void *data, size_t bytes);
ws_status cli_ranks_listen(cli_ranks *ranks, cli_ranks_take take, void *user);

/* Waits a moment, where there is nothing to do. */
void cli_ranks_nap(void);

/* ---- For ranks.c --------------------------------------------------------------- */

/* WS_E_BACKEND, in the words of MPI. */
ws_status cli_ranks_mpi_failed(const cli_ranks *r, int error);

/* This rank has failed: the others are told, whatever they do. */
void cli_ranks_give_up(cli_ranks *r, int status);
/* After a signal, or where another failed: WS_E_CANCELLED. */
ws_status cli_ranks_check(cli_ranks *r);
/* Prints what this rank has kept, where the failure of all is its own. */
void cli_ranks_speak(const cli_ranks *r, bool failed);
/* Ends all, where some have not come for long after a failure. */
void cli_ranks_mind_the_time(cli_ranks *r);

/* Frees what has left. */
ws_status cli_ranks_tidy(cli_ranks *r);
/* Takes one message, if there is one.  Without take() what others have for rank 0 stays where it
 * is: they may be a step ahead; once a rank has failed it is dropped, so that it is out of their
 * way. */
ws_status cli_ranks_hear(cli_ranks *r, cli_ranks_take take, void *user, bool *there);
/* Forgets what has not left. */
void cli_ranks_forget(cli_ranks *r);

#endif
