/* selection.h - lists such as Cz,EEG*,1-4,7: which of some things they name; the shortest of
 * some. */
#ifndef WSI_IO_SELECTION_H
#define WSI_IO_SELECTION_H

#include <stddef.h>

#include "io/read/recording.h"

/* Picks from n things what list (names.h) names, in its order, each once.  An item is
 * a name, a number or a range counted from 1, or a pattern with * ? []; a
 * name wins over its other readings.  names NULL: numbers and ranges only.
 * option and where serve the message.  *picked is the caller's to free.
 * Errors: WS_E_ARG. */
ws_status wsi_select(const char *list, size_t n, const char *const *names, const char *option,
                     const char *where, size_t **picked, size_t *n_picked);

/* The same of a recording's channels: an item may also be a type (types.h), all signals of which
 * it means where no channel is called so, and with ! before it an item takes away what it names:
 * A*,!A1.  A list that begins with such is of all signals. */
ws_status wsi_select_channels(const char *list, const wsi_recording *rec, const char *option,
                              size_t **picked, size_t *n_picked);

/* The first of n names, "Cz, Pz, ..", for messages; returns text. */
const char *wsi_some_names(const char *const *names, size_t n, char text[200]);

/* Writes the shortest list, "1-4,7", of the numbers i + 1 with chosen[i]; cut
 * with ".." where it does not fit. */
void wsi_describe_list(const unsigned char *chosen, size_t n, char *text, size_t size);

#endif
