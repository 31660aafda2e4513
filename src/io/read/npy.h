/* npy.h - NumPy arrays while they are read. */
#ifndef WSI_IO_NPY_H
#define WSI_IO_NPY_H

#include "io/read/file.h"
#include "io/read/recording.h"

typedef struct npy_state {
	wsi_file file;          /* .npy */
	unsigned char *memory;  /* .npz: the unpacked entry */
	uint64_t bytes;         /* of the file or the memory */
	uint64_t data_offset;
	wsi_sample_type type;
	bool big_endian;
	size_t parts;           /* of an element: 2 of complex ones, each a channel */
	size_t epoch_stride, channel_stride, time_stride;  /* in elements */
	double fs;              /* .npz: what a number beside the array tells; 0: nothing does */
	double *times;          /* .npz: an array of this name beside it, or NULL */
	size_t n_times;
	const char *times_name;
} npy_state;

/* What follows 'key': in the dict, NULL if it is absent; of several the last, as in Python. */
const char *npy_find_value(const char *dict, const char *key);
/* The type of elements; false: it is none of ours.  complex: they may be complex numbers. */
bool npy_parse_descr(npy_state *s, const char *value, bool complex);

/* Unpacks the array of a .npz that is wanted into memory, and looks for the rate beside it. */
ws_status npy_open_packed(wsi_recording *rec);

#endif
