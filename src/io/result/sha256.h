/* sha256.h - the checksum of an input, kept with every result. */
#ifndef WSI_IO_SHA256_H
#define WSI_IO_SHA256_H

#include <stddef.h>

#include <nettle/sha2.h>

#include "wavesift/wavesift.h"

typedef struct wsi_sha256 {
	struct sha256_ctx context;
} wsi_sha256;

void wsi_sha256_start(wsi_sha256 *hash);
void wsi_sha256_add(wsi_sha256 *hash, const void *bytes, size_t n);
/* As 64 hexadecimal digits. */
void wsi_sha256_finish(wsi_sha256 *hash, char hex[65]);

/* Of a file's bytes; WS_E_IO where it cannot be read. */
ws_status wsi_sha256_file(const char *path, char hex[65]);

#endif
