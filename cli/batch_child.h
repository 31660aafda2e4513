/*
 * batch_child.h - the program, run again as a process of its own.
 *
 * It ends when the process that started it does, however that ends (on Linux; elsewhere when it
 * next writes a message).
 */
#ifndef CLI_BATCH_CHILD_H
#define CLI_BATCH_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct cli_child {
	pid_t pid;         /* 0: none runs */
	int from;          /* what it says is read here; -1 */
	char line[4096];   /* of which so many bytes are here yet */
	size_t held;
} cli_child;

typedef enum cli_child_says {
	CHILD_MESSAGES,    /* its standard error is read; standard output goes nowhere */
	CHILD_PLANS,       /* the same, but its standard output is ours */
	CHILD_OUTPUT       /* its standard output is read; standard error goes nowhere */
} cli_child_says;

/* arguments: as of main(), NULL at their end.  gpus: the value of CUDA_VISIBLE_DEVICES; NULL: as
 * here.  0, or errno: then none runs. */
int cli_child_start(cli_child *c, char **arguments, cli_child_says says, const char *gpus);

/* Waits for what it says, hands over each line that is whole, and the last when there will be no
 * more; false then. */
bool cli_child_read(cli_child *c, void (*take)(void *user, const char *line), void *user);

/* Waits for its end; its exit status, or 128 + the signal that ended it. */
int cli_child_end(cli_child *c);

#endif
