/* mat5.h - what is particular to version 5. */
#ifndef WSI_IO_MAT5_H
#define WSI_IO_MAT5_H

#include "io/read/mat_var.h"

WSI_LOOK_AT ws_status wsi_mat5_index(wsi_mat *m);
WSI_LOOK_AT ws_status wsi_mat5_load(wsi_mat *m, wsi_mat_var *v);
WSI_LOOK_AT ws_status wsi_mat5_load_together(wsi_mat *m, wsi_mat_var **v, size_t n);
WSI_LOOK_AT ws_status wsi_mat5_verify(wsi_mat *m, wsi_mat_var *v);

#endif
