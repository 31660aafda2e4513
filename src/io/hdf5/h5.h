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

#include "base/new.h"
#include "io/read/recording.h"

/* Closes objects of any kind; numbers below 0 are none. */
void wsi_h5_close_all(const hid_t *ids, size_t n);
#define wsi_h5_close(...)                                                      \
	wsi_h5_close_all((const hid_t[]){ __VA_ARGS__ },                       \
	                 sizeof(hid_t[]){ __VA_ARGS__ } / sizeof(hid_t))

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
herr_t wsi_h5_put_ints(hid_t object, const char *name, const int64_t *values, size_t n);

/*
 * An attribute is there, it is not there, or it cannot be read; one that is another kind than it
 * must be is a failure as well.  WS_E_FORMAT names it: path is the file's.  One that holds nothing
 * is not there.  A number may be stored as any numeric type, as one value or an array of one.
 * *text, whole and allocated, takes the place of one that is freed; NULL is fine.
 */
WSI_LOOK_AT ws_status wsi_h5_get_real(hid_t object, const char *path, const char *name,
                                      double *value, bool *there);
WSI_LOOK_AT ws_status wsi_h5_get_text(hid_t object, const char *path, const char *name,
                                      char **text, bool *there);
/* n strings, each allocated. */
WSI_LOOK_AT ws_status wsi_h5_get_texts(hid_t object, const char *path, const char *name,
                                       char **texts, size_t n, bool *there);
/* n whole numbers: false where the attribute is anything else, or is not there. */
WSI_LOOK_AT bool wsi_h5_get_ints(hid_t object, const char *name, int64_t *values, size_t n);
/* A moment of ISO 8601. */
WSI_LOOK_AT ws_status wsi_h5_get_moment(hid_t object, const char *path, const char *name,
                                        char text[WSI_MOMENT_BYTES]);
/* Is it there, a text, and this? */
WSI_LOOK_AT ws_status wsi_h5_text_is(hid_t object, const char *path, const char *name,
                                     const char *expected, bool *is);

/* What an attribute is, for files that others wrote, where each may be of another kind. */
typedef struct wsi_h5_attribute {
	bool there, numbers, texts;
	size_t n;
} wsi_h5_attribute;
WSI_LOOK_AT ws_status wsi_h5_look(hid_t object, const char *path, const char *name,
                                  wsi_h5_attribute *found);

/* Adds each text of an attribute, with its NUL, to a CRC-32; nothing where it is absent, or of
 * numbers.  False where it cannot be read. */
WSI_LOOK_AT bool wsi_h5_add_texts(hid_t object, const char *name, uint32_t *sum);

/* Is there an object of that name, "a/b"?  WS_E_FORMAT where that cannot be told. */
WSI_LOOK_AT ws_status wsi_h5_has(hid_t at, const char *path, const char *name, bool *there);

/* Of its elements, and bytes of one (NULL: not asked); H5T_NO_CLASS and 0 on failure. */
H5T_class_t wsi_h5_class(hid_t dataset, size_t *size);

/* The number of dimensions, and each; negative on failure. */
int wsi_h5_shape(hid_t dataset, hsize_t dims[H5S_MAX_RANK]);

/* Properties of an object to be made (H5P_DATASET_CREATE ..), without the time of its making, so
 * that what is the same makes the same file.  The caller closes it; negative on failure. */
hid_t wsi_h5_timeless(hid_t class);
/* Makes a group, which the caller closes; negative on failure. */
hid_t wsi_h5_put_group(hid_t at, const char *name);
/* Writes a dataset of n elements, stored as one type, given in another.  Negative on failure, also
 * where a type is. */
herr_t wsi_h5_put_dataset(hid_t at, const char *name, hid_t stored, hid_t given, size_t n,
                          const void *data);

/* Does the dataset hold real numbers, of which the file can hold as many as
 * its dimensions claim?  file_bytes bounds what a hostile file may claim. */
bool wsi_h5_is_numeric(hid_t dataset);
/* Complex ones: compounds of two numbers, whose names are put into members. */
bool wsi_h5_is_complex(hid_t dataset, char members[2][16]);
bool wsi_h5_is_plausible(hid_t dataset, uint64_t file_bytes);
/* Can a file of so many bytes hold so many values of size bytes, compressed as HDF5 does? */
bool wsi_h5_can_hold(uint64_t values, size_t size, uint64_t file_bytes);

#endif
