/* ini.h - entries "key=value" in [sections], as BrainVision writes them. */
#ifndef WSI_IO_INI_H
#define WSI_IO_INI_H

#include <stdbool.h>
#include <stddef.h>

#include "base/new.h"

/* A cursor over a text; starts as { .rest = text }.  Section, key and value
 * are slices of the text, which is borrowed. */
typedef struct ini_entry {
	const char *rest;  /* where the next line starts */
	size_t line;       /* from 1 */
	const char *section, *key, *value;
	size_t section_length, key_length, value_length;
} ini_entry;

/* Moves on to the next entry; false at the end, or at the free text that
 * follows [Comment]. */
bool ini_next(ini_entry *e);
/* Names compare without case. */
bool ini_in_section(const ini_entry *e, const char *section);
/* The number behind two letters in a key such as "Ch12", 0 if there is none. */
size_t ini_key_number(const ini_entry *e, const char *letters);

/* The value of a key as text, "" where there is none; NULL: no memory. */
char *ini_text(const char *text, const char *section, const char *key);
/* The finite number that a key's value is; *there is false where there is no such key, or nothing
 * in it.  WS_E_FORMAT names what is no number: path is the text's. */
WSI_LOOK_AT ws_status ini_number(const char *path, const char *text, const char *section,
                                 const char *key, double *value, bool *there);
/* Field i of a value with commas, "" past the last; "\1" stands for a comma.
 * NULL: no memory. */
char *ini_field(const ini_entry *e, size_t i);

/* The finite number that the whole text is, NaN if it is none. */
double ini_to_number(const char *text);

#endif
