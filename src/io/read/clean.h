/* clean.h - texts of files as texts that may be shown. */
#ifndef WSI_IO_CLEAN_H
#define WSI_IO_CLEAN_H

#include <stdbool.h>
#include <stddef.h>

/* A copy of n bytes without blanks around it, as UTF-8: bytes that are no UTF-8 are taken for
 * Latin-1; what steers terminals or the direction of text is made blanks.  NULL when out of
 * memory. */
char *wsi_clean_text(const char *text, size_t n);
/* The same into out[2 n + 1]; its length. */
size_t wsi_clean_into(const char *text, size_t n, char *out);
/* The same of a name, which is cut where it is longer than any can be meant, and then ends in a
 * mark by which names that begin alike stay apart. */
char *wsi_clean_name(const char *name);
/* Was it cut?  What looks like it counts as well. */
bool wsi_name_is_cut(const char *name);

#endif
