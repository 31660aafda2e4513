/* sized.c - structs of callers, which begin with their size. */
#include "base/sized.h"

#include <string.h>

#include "base/version.h"

/* No struct of any version is larger: such a size was never set. */
#define MOST 4096

ws_status
wsi_sized_check(const char *name, size_t size, size_t least)
{
	if (size < least || size > MOST)
		return WSI_FAIL(WS_E_ARG, "%s.size is %zu: set it to sizeof(%s)", name, size, name);
	return WS_OK;
}

ws_status
wsi_sized_copy(const char *name, void *to, size_t bytes, size_t least, const void *from)
{
	const size_t size = *(const size_t *)from;
	WSI_TRY(wsi_sized_check(name, size, least));
	for (size_t i = bytes; i < size; ++i)
		if (((const char *)from)[i] != 0)
			return WSI_FAIL(WS_E_ARG, "%s: byte %zu is not 0, of a field that "
			                "wavesift %s does not know: leave it 0, or use a "
			                "newer wavesift", name, i, WSI_VERSION);
	memset(to, 0, bytes);
	memcpy(to, from, size < bytes ? size : bytes);
	*(size_t *)to = bytes;
	return WS_OK;
}

void
wsi_sized_fill(void *to, const void *from, size_t bytes)
{
	const size_t size = *(size_t *)to;
	memset(to, 0, size);
	memcpy(to, from, size < bytes ? size : bytes);
	*(size_t *)to = size;
}
