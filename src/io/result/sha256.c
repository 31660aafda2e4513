/* sha256.c - SHA-256 by nettle, which uses the processor's instructions for it. */
#include "io/result/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"

#define BLOCK ((size_t)1 << 18)

void
wsi_sha256_start(wsi_sha256 *hash)
{
	sha256_init(&hash->context);
}

void
wsi_sha256_add(wsi_sha256 *hash, const void *bytes, size_t n)
{
	sha256_update(&hash->context, n, bytes);
}

void
wsi_sha256_finish(wsi_sha256 *hash, char hex[65])
{
	unsigned char digest[SHA256_DIGEST_SIZE];
	sha256_digest(&hash->context, sizeof digest, digest);
	for (size_t i = 0; i < sizeof digest; ++i)
		sprintf(hex + 2 * i, "%02x", digest[i]);
}

static ws_status
add_file(wsi_sha256 *hash, int fd, unsigned char *block)
{
	for (;;) {
		const ssize_t n = read(fd, block, BLOCK);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return WS_E_IO;
		if (n == 0)
			return WS_OK;
		wsi_sha256_add(hash, block, (size_t)n);
	}
}

ws_status
wsi_sha256_file(const char *path, char hex[65])
{
	hex[0] = '\0';
	wsi_sha256 hash;
	wsi_sha256_start(&hash);
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	unsigned char *block = fd >= 0 ? malloc(BLOCK) : NULL;
	const ws_status status = block ? add_file(&hash, fd, block) : WS_E_IO;
	const int error = errno;
	free(block);
	if (fd >= 0)
		close(fd);
	if (status != WS_OK)
		return WSI_FAIL(WS_E_IO, "%s: cannot be read for its SHA-256: %s", path,
		                strerror(error));
	wsi_sha256_finish(&hash, hex);
	return WS_OK;
}
