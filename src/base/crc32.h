/* crc32.h - the checksum of zip, zlib and PNG: tells whether bytes are still what they were. */
#ifndef WSI_CRC32_H
#define WSI_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Of bytes that follow those whose sum is crc, 0 before the first: as zlib's crc32(). */
uint32_t wsi_crc32(uint32_t crc, const void *bytes, size_t n);
/* The same by products of at most so many bytes, 16, 32 or 64, if the machine has them; 0: by
 * tables.  For tests. */
uint32_t wsi_crc32_by(size_t most, uint32_t crc, const void *bytes, size_t n);
/* Of n bytes that are all 0. */
uint32_t wsi_crc32_zeros(uint64_t n);

#endif
