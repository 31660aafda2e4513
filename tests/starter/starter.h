/*
 * starter.h - a program that is started many times, and loaded once.
 *
 * The program loads sixty libraries, which takes longer than most of what tests have it do.  A
 * starter is a process of the program that has loaded them (serve.c, by LD_PRELOAD), and forks for
 * each start: from main() on, and from the program's own constructors, all is as after exec.
 */
#ifndef WSI_STARTER_H
#define WSI_STARTER_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#define STARTER_SOCKET "WAVESIFT_STARTER"
#define STARTER_BYTES 65536    /* of a request: arguments, each with its NUL */

typedef struct starter {
	pid_t pid;
	int socket;
} starter;

typedef struct started {
	int status;             /* as wait4() gives it */
	struct rusage used;     /* with the processes that it waited for */
} started;

/* A process of the program, in this folder, with this library of serve.c; standard input is empty.
 * False where it cannot be had. */
bool starter_open(starter *s, const char *program, const char *library, const char *folder);
/* Starts one with these arguments, which end with NULL, and output and errors to these
 * descriptors; its pid, or -1. */
pid_t starter_start(starter *s, const char *const *arguments, int out, int err);
/* Waits for it to end. */
bool starter_wait(starter *s, started *end);
void starter_close(starter *s);

/* Where the library that serves has it, called in each process that was started, before anything of
 * the program: the library stays with it, and processes that it starts have it too. */
void starter_began(void) __attribute__((weak));

#endif
