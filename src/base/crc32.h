/* crc32.h - the checksum of zip, zlib and PNG: tells whether bytes are still what they were. */
#ifndef WSI_CRC32_H
#define WSI_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Of bytes that follow those whose sum is crc, 0 before the first: as zlib's crc32(). */
uint32_t wsi_crc32(uint32_t crc, const void *bytes, size_t n);
/* The same on any machine, without instructions of its own: for tests. */
uint32_t wsi_crc32_plain(uint32_t crc, const void *bytes, size_t n);
/* Of n bytes that are all 0. */
uint32_t wsi_crc32_zeros(uint64_t n);

#endif
