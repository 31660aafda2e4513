/* mat73_variable.h - the account of variables of MAT 7.3. */
#ifndef WSI_IO_MAT73_VARIABLE_H
#define WSI_IO_MAT73_VARIABLE_H

#include <hdf5.h>

#include "io/read/mat_var.h"

typedef struct mat73_place {
	hid_t object;           /* dataset or group; 0: it was not opened */
	bool array;             /* a struct whose fields hold references */
	hobj_ref_t *references; /* of cells, once loaded */
} mat73_place;

/* What is listed, and how that went: HDF5 tells success and failure alone. */
typedef struct mat73_listing {
	wsi_mat *m;
	wsi_mat_var *v;
	ws_status status;
} mat73_listing;

/* Of a variable made with bytes for a mat73_place: what the dataset or group is, which it takes
 * over. */
WSI_LOOK_AT ws_status wsi_mat73_describe(wsi_mat *m, wsi_mat_var *v, hid_t object);

/* WS_E_FORMAT, which names the variable and what of it. */
WSI_LOOK_AT ws_status wsi_mat73_unreadable(const wsi_mat *m, const wsi_mat_var *v,
                                           const char *what);

#endif
