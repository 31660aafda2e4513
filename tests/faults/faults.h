/* faults.h - what a test tells the library that makes calls fail (faults.c), in a file that both
 * map: FAULTS_FILE beside the library. */
#ifndef WSI_FAULTS_H
#define WSI_FAULTS_H

enum fault_kind {
	FAULT_NONE, FAULT_ALLOCATION, FAULT_READ, FAULT_WRITE, FAULT_SEEK, FAULT_SYNC, FAULT_RENAME,
	FAULT_PROCESS,  /* a process, a thread, or the means to talk to one */
	FAULT_LOAD,     /* a question to HDF5, or unpacking: what an optional thing takes */
	FAULT_KINDS
};

#define FAULTS_FILE "faults.plan"

struct fault_plan {
	int kind;
	long n;         /* the call of this kind that fails in each process, from 1 */
	/* Calls of each kind, of the process that makes most, while kind is FAULT_NONE. */
	long most[FAULT_KINDS];
};

#endif
