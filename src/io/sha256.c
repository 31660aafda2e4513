/* sha256.c - SHA-256 of a file, by libmd. */
#include "io/sha256.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include <sha2.h>

#include "base/status.h"

ws_status
wsi_sha256_file(const char *path, char hex[65])
{
	hex[0] = '\0';
	if (!SHA256File(path, hex))
		return WSI_FAIL(WS_E_IO, "%s: cannot be read for its SHA-256: %s", path,
		                strerror(errno));
	return WS_OK;
}
