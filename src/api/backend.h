/*
 * backend.h - finds and opens the library that holds the GPU's backend, what
 * ops/backend.h describes.  It lies beside the file that holds this code (the
 * shared library, or a program with the static one), or, seen from a program,
 * where libraries are installed; or it is the file that the caller names.
 */
#ifndef WSI_API_BACKEND_H
#define WSI_API_BACKEND_H

#include "ops/backend.h"

typedef struct wsi_loaded {
	void *library;
	const wsi_backend *backend; /* NULL, and why */
	wsi_why why;
} wsi_loaded;

/* file: NULL where the caller named none. */
void wsi_backend_load(wsi_loaded *l, const char *file);
void wsi_backend_unload(wsi_loaded *l);

#endif
