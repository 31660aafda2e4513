/* json.h - what the commands share in writing JSON. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <jansson.h>

/* Before any other: from now on memory that was lacking is remembered, so that nothing
 * incomplete is printed. */
void cli_json_start(void);

/* Text of any bytes: what is not UTF-8 is read as Latin-1. */
json_t *cli_json_text(const char *text);
/* null where value is not finite. */
json_t *cli_json_real(double value);
/* Prints root to standard output and frees it; returns the exit status. */
int cli_json_print(json_t *root);

#endif
