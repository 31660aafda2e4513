/*
 * ranks_counter.c - a program for test_ranks.sh, started as several ranks: they take numbers from
 * the counter while rank 0, which holds it, computes and calls nothing of MPI's.
 *
 *     ranks_counter LIBRARY FILE      FILE, which is not there yet, tells rank 0 that the others
 *                                     have what they wanted
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "mpi/ranks.h"

#define NUMBERS 1000

static int
fail(const char *what)
{
	fprintf(stderr, "ranks_counter: %s\n", what);
	return 1;
}

/* Do numbers rise, and are they as many as all ranks have taken? */
static int
take(const wsi_ranks *mpi, int64_t last)
{
	for (int i = 0; i < NUMBERS; i++) {
		int64_t number;
		if (mpi->next(&number, 1) != 0 || number <= last)
			return fail("a number came twice");
		last = number;
	}
	return 0;
}

int
main(int argc, char **argv)
{
	void *library = argc == 3 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE) : NULL;
	wsi_ranks_entry_fn entry = NULL;
	if (library)
		*(void **)&entry = dlsym(library, WSI_RANKS_ENTRY);
	const wsi_ranks *mpi = entry ? entry(WSI_RANKS_VERSION) : NULL;
	wsi_rank rank;
	if (!mpi || entry(WSI_RANKS_VERSION + 1) || mpi->open(&rank) != 0)
		return fail("the library cannot be opened");
	int bad = 0;
	if (rank.number == 0) {
		const double start = wsi_now();
		while (access(argv[2], F_OK) != 0 && wsi_now() - start < 60)
			continue;
		bad = access(argv[2], F_OK) != 0 ? fail("rank 0 was waited for") : 0;
	} else {
		bad = take(mpi, -1);
		FILE *file = rank.number == 1 && !bad ? fopen(argv[2], "w") : NULL;
		if (file)
			fclose(file);
	}
	/* All have theirs: none is left out, none was given twice. */
	int64_t nothing = 0, number;
	bool done = false;
	bad |= mpi->least(&nothing, 1);
	while (!bad && !done)
		bad |= mpi->least_done(&done);
	if (!bad && rank.number == 0 && (mpi->next(&number, 1) != 0
	                                 || number != (int64_t)NUMBERS * (rank.count - 1)))
		bad = fail("not as many numbers were taken as there should have been");
	if (!bad)
		printf("%d of %d\n", rank.number, rank.count);
	return mpi->close() != 0 || bad;
}
