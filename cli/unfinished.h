/* unfinished.h - wavesift info FOLDER: work that was stopped and did not go on. */
#ifndef CLI_UNFINISHED_H
#define CLI_UNFINISHED_H

#include "args.h"

/* Is the operand a folder? */
bool cli_unfinished_is_meant(const cli_args *args);
/* Lists what is in it and the folders below; the exit status. */
int cli_unfinished_list(const cli_args *args);

#endif
