/* crc32.c - the checksum of results, for those who read them. */
#include "base/crc32.h"
#include "wavesift/checksum.h"

uint32_t
ws_crc32(uint32_t crc, const void *bytes, size_t n)
{
	return wsi_crc32(crc, bytes, n);
}
