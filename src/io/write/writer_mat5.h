/* writer_mat5.h - MAT files of version 5. */
#ifndef WSI_IO_WRITER_MAT5_H
#define WSI_IO_WRITER_MAT5_H

#include "io/write/writer_format.h"

/* The file at w->temp from the complete spool w->state. */
ws_status wsi_mat5_write(wsi_writer *w, const ws_fact *facts, size_t n_facts);

#endif
