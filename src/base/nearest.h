/*
 * nearest.h - which of some names a misspelled one may have meant.
 *
 *     wsi_nearest best = { .wanted = "Czz", .length = 3 };
 *     wsi_nearest_offer(&best, "Fz");     each of the names
 *     wsi_nearest_offer(&best, "Cz");
 *     best.name                           "Cz"; NULL where none is near
 */
#ifndef WSI_BASE_NEAREST_H
#define WSI_BASE_NEAREST_H

#include <stddef.h>

typedef struct wsi_nearest {
	const char *wanted;      /* not necessarily ended by NUL */
	size_t length;
	const char *name;        /* the nearest so far, borrowed; NULL: none is near */
	size_t distance;         /* its distance: letters to add, drop, change, or swap */
} wsi_nearest;

/* Keeps the name if it is nearer than those before: at a distance of a third of the wanted letters
 * at most, or of one letter of two.  A letter's case counts nothing.  Names of more than 63 bytes
 * are none. */
void wsi_nearest_offer(wsi_nearest *best, const char *name);

/* "; did you mean Cz?", or "" where no name is near; returns text. */
#define WSI_NEAREST_TEXT 96
const char *wsi_nearest_tell(const wsi_nearest *best, char text[WSI_NEAREST_TEXT]);

#endif
