/* mat73.h - what is particular to version 7.3. */
#ifndef WSI_IO_MAT73_H
#define WSI_IO_MAT73_H

#include "io/read/mat_var.h"

WSI_LOOK_AT ws_status wsi_mat73_open(wsi_mat *m);
void wsi_mat73_close(wsi_mat *m);
WSI_LOOK_AT ws_status wsi_mat73_variable(wsi_mat *m, size_t i);
WSI_LOOK_AT ws_status wsi_mat73_field(wsi_mat *m, wsi_mat_var *v, size_t k, size_t i,
                                      wsi_mat_var **field);
WSI_LOOK_AT ws_status wsi_mat73_cell(wsi_mat *m, wsi_mat_var *v, size_t i, wsi_mat_var **cell);
WSI_LOOK_AT ws_status wsi_mat73_load(wsi_mat *m, wsi_mat_var *v);
WSI_LOOK_AT ws_status wsi_mat73_line(wsi_mat *m, wsi_mat_var *v, const size_t *start, int axis,
                                     size_t count, int part, double *out);

#endif
