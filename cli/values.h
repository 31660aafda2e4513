/* values.h - numbers, sizes, times and names as people write and read them. */
#ifndef CLI_VALUES_H
#define CLI_VALUES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/target.h"
#include "wavesift/wavesift.h"

/* The whole text must be the number, which is finite. */
bool cli_parse_real(const char *text, double *value);
/* "4096", "500M", "1.5G", "2GiB": powers of 1024; at least 1 byte. */
bool cli_parse_size(const char *text, size_t *bytes);

/* "1.5 GiB", "2 min 5 s", "38.2": into text, which is returned. */
const char *cli_format_size(double bytes, char text[32]);
const char *cli_format_seconds(double seconds, char text[32]);
const char *cli_format_figures(double value, int figures, char text[32]);

/* What a file or its name says, as it is printed: without anything that steers a terminal, and cut
 * where it does not end.  Into shown, which is returned. */
#define CLI_SHOWN 8192
const char *cli_shown(const char *text, char shown[CLI_SHOWN]);

/* Of n numbers, which are then in rising order; NaN of none. */
double cli_median(double *x, size_t n);

/* Prints what a file is, its name and its size, if it is there. */
void cli_print_file(const char *what, const char *path);

/* folder/name, to free(). */
char *cli_path_in(const char *folder, const char *name);
/* Where a result goes: what was given, or else STEM_COMMAND and the ending, by the stem of name;
 * command NULL: STEM.  WS_E_ARG. */
enum { CLI_PATH = 4096 };
ws_status cli_name_output(char output[CLI_PATH], const char *given, const char *name,
                          const char *command, const char *ending);
/* Characters of a name before its ending. */
int cli_stem_length(const char *name);

#endif
