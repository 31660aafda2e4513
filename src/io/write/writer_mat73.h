/* writer_mat73.h - MAT files of version 7.3. */
#ifndef WSI_IO_WRITER_MAT73_H
#define WSI_IO_WRITER_MAT73_H

#include "io/write/writer_format.h"

/* The file at w->temp from the complete spool w->state. */
ws_status wsi_mat73_write(wsi_writer *w, const ws_fact *facts, size_t n_facts);

#endif
