/* mat4.h - what is particular to version 4. */
#ifndef WSI_IO_MAT4_H
#define WSI_IO_MAT4_H

#include "io/read/mat_var.h"

/* Does a file that begins so look like it? */
bool wsi_mat4_probe(const unsigned char *head, size_t n);

WSI_LOOK_AT ws_status wsi_mat4_index(wsi_mat *m);
WSI_LOOK_AT ws_status wsi_mat4_load(wsi_mat *m, wsi_mat_var *v);

#endif
