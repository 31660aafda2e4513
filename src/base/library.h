/*
 * library.h - libraries that are opened at run time: where they lie.
 */
#ifndef WSI_BASE_LIBRARY_H
#define WSI_BASE_LIBRARY_H

#include <limits.h>
#include <stdbool.h>

/* The file of this name beside the file that holds this code (the shared library, or a program with
 * the static one), or, seen from a program, where libraries are installed. */
bool wsi_library_find(const char *name, char path[PATH_MAX]);

#endif
