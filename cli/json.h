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
/* Prints root, an object with members, to standard output and frees it; returns the exit status. */
int cli_json_print(json_t *root);

/* value as one line with its end, which is the caller's to free; value itself is freed.  NULL for
 * want of memory.  Numbers have 15 digits. */
char *cli_json_line(json_t *value);

/* value as text, which is the caller's to free; NULL for want of memory, of which json_dumps() of
 * Jansson 2.14 may leave out a key. */
char *cli_json_dump(const json_t *value, size_t flags);

/* A member that is a list, too long to be in memory as a whole. */
typedef struct cli_json_list {
	const char *key;
	size_t n;
	json_t *(*element)(const void *user, size_t i);
	const void *user;
} cli_json_list;

/* root with lists as members, of each at most `most` elements. */
json_t *cli_json_gather(json_t *root, const cli_json_list *lists, size_t n, size_t most);

/* Prints root likewise, with lists after its members. */
int cli_json_print_lists(json_t *root, const cli_json_list *lists, size_t n);

#endif
