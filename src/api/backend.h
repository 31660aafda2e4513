/*
 * backend.h - finds and opens the library that holds the GPU's backend, what
 * ops/backend.h describes.  It lies beside the file that holds this code (the
 * shared library, or a program with the static one), or, seen from a program,
 * where libraries are installed.
 */
#ifndef WSI_API_BACKEND_H
#define WSI_API_BACKEND_H

#include "ops/backend.h"

typedef struct wsi_loaded {
	void *library;
	const wsi_backend *backend; /* NULL, and why */
	wsi_why why;
} wsi_loaded;

void wsi_backend_load(wsi_loaded *l);
void wsi_backend_unload(wsi_loaded *l);

#endif
