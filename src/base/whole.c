/* whole.c - reads and writes that are whole. */
#include "base/whole.h"

#include <errno.h>
#include <unistd.h>

size_t
wsi_whole_read(int fd, void *to, size_t n, uint64_t at)
{
	size_t done = 0;
	while (done < n) {
		const ssize_t some = pread(fd, (char *)to + done, n - done, (off_t)(at + done));
		if (some < 0 && errno == EINTR)
			continue;
		if (some == 0)
			errno = 0;
		if (some <= 0)
			break;
		done += (size_t)some;
	}
	return done;
}

int
wsi_whole_write(int fd, const void *from, size_t n, uint64_t at)
{
	for (size_t done = 0; done < n;) {
		const ssize_t some = pwrite(fd, (const char *)from + done, n - done,
		                            (off_t)(at + done));
		if (some < 0 && errno == EINTR)
			continue;
		if (some <= 0)
			return some < 0 ? errno : ENOSPC;
		done += (size_t)some;
	}
	return 0;
}
