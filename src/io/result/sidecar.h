/*
 * sidecar.h - what stands beside a .npy result, in NAME.npy.json: written by
 * write/writer_sidecar.c, read here.
 */
#ifndef WSI_IO_SIDECAR_H
#define WSI_IO_SIDECAR_H

#include <jansson.h>

#include "io/result/array_list.h"

/* A new "x.npy.json" of x.npy; NULL when out of memory. */
char *wsi_sidecar_path(const char *path);

/* *root: what it says of an array of this shape; NULL where there is no such file of ours.  For
 * json_decref().  WS_E_FORMAT: it is of an array of another shape. */
ws_status wsi_sidecar_read(wsi_recording *rec, const wsi_stored_array *array, json_t **root);

/* The name of its array; "" where it has none. */
const char *wsi_sidecar_array(const json_t *root);

/* Gives rec, which has no channels yet, those that it tells, their times and facts, and where
 * wanted its events.  Arrays: the given one first, then figures and axes, whose values are
 * values[number of the array], for free(). */
#define WSI_SIDECAR_ARRAYS 64
ws_status wsi_sidecar_take(wsi_recording *rec, const json_t *root, wsi_stored_array array,
                           double *values[WSI_SIDECAR_ARRAYS]);

#endif
