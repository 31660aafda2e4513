/* sha256.h - the fingerprint of an input, kept with every result. */
#ifndef WSI_IO_SHA256_H
#define WSI_IO_SHA256_H

#include "wavesift/wavesift.h"

/* The SHA-256 of a file's bytes as 64 hexadecimal digits. */
ws_status wsi_sha256_file(const char *path, char hex[65]);

#endif
