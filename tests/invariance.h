/*
 * invariance.h - for tests of what results must not depend on: a signal is decomposed as it is,
 * and changed; the second result has to follow the first.
 */
#ifndef INVARIANCE_H
#define INVARIANCE_H

#include "core_test.h"

/* What is done to a signal. */
typedef struct change {
	bool backwards;
	double factor, offset;  /* offset in units of std */
} change;

/* A signal and how it is decomposed. */
typedef struct subject subject;
struct subject {
	const double *x;        /* [channel][time] */
	size_t channels, n;
	/* Decomposes y, which is x changed; backwards: what noise there is, too. */
	void (*run)(const subject *s, const double *y, bool backwards, result *r);
	const void *setup;      /* run's */
	uint64_t seed;          /* of changes at random */
	char text[160];         /* names it in messages */
};

/* A change of many subjects. */
typedef struct comparison {
	const char *what;
	change c;
	double limit;           /* how far results may move, std */
	double hair;            /* decisions nearer than this are passed over, std */
	int all, near, failed;
	double worst;           /* of those within the limit */
} comparison;

/* Steps of 1 / levels. */
void quantise(double *x, size_t n, double levels);

/* Counts the subject; where it moved by more than the limit, says so, and whether that hangs on a
 * hair: its result also moves when its samples change at random by p->hair. */
void compare_changed(comparison *p, const subject *s);

/* Prints what came of it.  Fails if anything moved, or more than so many decisions were near. */
void conclude(const comparison *p, int most_near);

#endif
