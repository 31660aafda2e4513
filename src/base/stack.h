/* stack.h - programs that run where stacks are small (ulimit -s). */
#ifndef WSI_BASE_STACK_H
#define WSI_BASE_STACK_H

/* Calls run(argc, argv) and gives what it returns.  Where the process may have less stack than is
 * common, on one of a common size, which threads that start later have, too; where there is no
 * memory for it, on the small one. */
int wsi_on_common_stack(int (*run)(int argc, char **argv), int argc, char **argv);

#endif
