/*
 * ranks.h - the processes of one job (ranks), as MPI knows them: what libwavesift_mpi.so offers.
 *
 * The program links no MPI.  It opens this library only where a launcher has started several of it
 * (cli/launch.h), so one program serves machines with and without MPI.  MPI does the talking; what
 * is said, and who works on what, is the program's (cli/ranks.h).
 *
 * One thread makes all calls, that of open().  Functions that give an int give 0, or an error that
 * tell() puts into words.
 */
#ifndef WSI_MPI_RANKS_H
#define WSI_MPI_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Changes with anything below. */
#define WSI_RANKS_VERSION 1
#define WSI_RANKS_ENTRY "wsi_ranks_entry"

/* This process among all, and among those of its machine; numbers from 0. */
typedef struct wsi_rank {
	int number, count;
	int local, locals;
} wsi_rank;

typedef struct wsi_ranks {
	size_t size;           /* of this struct, as the library knows it */

	/* Joins the others.  What MPI refuses by itself ends the process, with words of its own. */
	int (*open)(wsi_rank *rank);
	/* All ranks leave together.  Everything that was sent has arrived. */
	int (*close)(void);
	/* Ends all ranks at once. */
	void (*abort)(int status);
	const char *(*tell)(int error, char text[256]);

	/* Of each value the least that any rank has.  All ranks call it, with as many; values are
	 * those once least_done() says so.  One at a time. */
	int (*least)(int64_t *values, int n);
	int (*least_done)(bool *done);
	/* What each rank of this machine has, by its local number.  All call it. */
	int (*local_all)(const void *mine, size_t bytes, void *all);

	/* A counter that all ranks share, from 0 on: its number, to which `by` is added at once, so
	 * that by 1 each number comes once.  One-sided: whoever holds it need not answer. */
	int (*next)(int64_t *number, int64_t by);

	/* Messages, at most WSI_MOST_MESSAGE bytes.  Those from one rank to another arrive in their
	 * order.  data stays as it is until sent() is done, which frees *sending. */
	int (*send)(int to, int tag, const void *data, size_t bytes, void **sending);
	int (*sent)(void *sending, bool *done);
	/* Is there one, of any rank, with *tag, or with any where that is below 0?  It is taken by
	 * receive(), all its bytes. */
	int (*probe)(bool *there, int *from, int *tag, size_t *bytes);
	int (*receive)(int from, int tag, void *data, size_t bytes);
} wsi_ranks;

#define WSI_MOST_MESSAGE ((size_t)1 << 30)

/* The library's entry; NULL: it is of another version. */
typedef const wsi_ranks *(*wsi_ranks_entry_fn)(int version);

#endif
