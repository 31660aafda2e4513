/* converted.h - formats that other libraries read: how to bring them into one that is read here. */
#ifndef WSI_IO_CONVERTED_H
#define WSI_IO_CONVERTED_H

#include "base/status.h"

/* WS_E_FORMAT where a file, by its first bytes or by path, is of such a format: the line names it
 * and the command that converts it.  n 0: only the name is known, as that of a folder. */
ws_status wsi_converted_check(const unsigned char *head, size_t n, const char *path);

#endif
