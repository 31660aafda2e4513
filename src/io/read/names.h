/*
 * names.h - lists of names that people write, for every option that takes one: Cz,EEG*,1-4.
 *
 * Commas set items apart.  A name may itself hold commas: the longest run of pieces that is a name
 * wins, "left, hand" over "left".  In double quotes an item is a name and nothing else, neither a
 * pattern nor a range; "" within them stands for one of them.  Quotes that are part of a name that
 * there is need none around them.
 */
#ifndef WSI_IO_NAMES_H
#define WSI_IO_NAMES_H

#include <stdbool.h>

#include "io/read/recording.h"

typedef struct wsi_name_item {
	char *text;    /* the caller's to free */
	bool quoted;   /* a name, whatever it looks like */
} wsi_name_item;

/* The item of a list that begins at *at, which is moved to the next, or to NULL.  is_name tells
 * whether there is a name of exactly this text; NULL: no names are known.  option serves the
 * message.  WS_E_ARG: the item is empty, or its quotes do not end.  On failure nothing is to
 * free. */
ws_status wsi_names_next(const char **at, bool (*is_name)(const void *user, const char *text),
                         const void *user, const char *option, wsi_name_item *item);

/* named[event]: an item of the list is its label, or a pattern that it fits.  none is called of an
 * item that is of no event, and may refuse it. */
ws_status wsi_names_of_events(const char *list, const char *option, const wsi_event *events,
                              size_t n, bool *named,
                              ws_status (*none)(const void *user, const char *item),
                              const void *user);

#endif
