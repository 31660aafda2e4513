/*
 * checksum.h - the checksum that pieces of result files have (docs/result-format.md).
 */
#ifndef WAVESIFT_CHECKSUM_H
#define WAVESIFT_CHECKSUM_H

#include "wavesift/wavesift.h"

#ifdef __cplusplus
extern "C" {
#endif

/* CRC-32, as of zlib's crc32(): of bytes that follow those whose sum is crc, 0 before the first. */
WS_API uint32_t ws_crc32(uint32_t crc, const void *bytes, size_t n);

#ifdef __cplusplus
}
#endif
#endif
