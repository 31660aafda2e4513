/*
 * h5.h - what our HDF5 files share: attributes and hyperslabs.
 *
 * HDF5 prints its own account of every failure unless told not to, so each
 * entry point that calls it wraps itself in H5E_BEGIN_TRY, H5E_END_TRY.
 */
#ifndef WSI_IO_H5_H
#define WSI_IO_H5_H

#include <stdbool.h>
#include <stdint.h>

#include <hdf5.h>

#include "base/status.h"

/* The types of texts and numbers in our files; the caller closes them.
 * Negative on failure. */
hid_t wsi_h5_text_type(void);

/* A compound of two of the type, which the caller closes: "r", "i" as h5py reads complex
 * numbers, "real", "imag" as MATLAB does. */
hid_t wsi_h5_complex_type(hid_t part, const char *real, const char *imaginary);

/* Attributes of an object.  Negative on failure. */
herr_t wsi_h5_put_text(hid_t object, const char *name, const char *text);
herr_t wsi_h5_put_texts(hid_t object, const char *name, const char *const *texts, size_t n);
herr_t wsi_h5_put_real(hid_t object, const char *name, double value);
herr_t wsi_h5_put_int(hid_t object, const char *name, int64_t value);

/* False where the attribute is absent or of another kind.  A number may be
 * stored as any numeric type, as one value or an array of one.  text[size]
 * is cut to fit; arrays answer their first string. */
bool wsi_h5_get_real(hid_t object, const char *name, double *value);
bool wsi_h5_get_text(hid_t object, const char *name, char *text, size_t size);
/* n strings, each allocated; false unless the attribute holds exactly n. */
bool wsi_h5_get_texts(hid_t object, const char *name, char **texts, size_t n);

/* The number of dimensions, and each; negative on failure. */
int wsi_h5_shape(hid_t dataset, hsize_t dims[H5S_MAX_RANK]);

/* Reads count elements, as doubles, of the slab that starts at start[rank]
 * and runs along one axis.  Negative on failure. */
herr_t wsi_h5_read_line(hid_t dataset, int rank, const hsize_t *start, int axis, size_t count,
                        double *out);

/* Does the dataset hold real numbers, of which the file can hold as many as
 * its dimensions claim?  file_bytes bounds what a hostile file may claim. */
bool wsi_h5_is_numeric(hid_t dataset);
bool wsi_h5_is_plausible(hid_t dataset, uint64_t file_bytes);

#endif
