/* whole.h - reads and writes of an open file that go on until all is done, whatever interrupts
 * them. */
#ifndef WSI_BASE_WHOLE_H
#define WSI_BASE_WHOLE_H

#include <stddef.h>
#include <stdint.h>

/* n bytes from a place of the file; how many it got.  Of fewer errno tells why, 0: it ends
 * there. */
size_t wsi_whole_read(int fd, void *to, size_t n, uint64_t at);
/* n bytes to a place of it; 0, or errno. */
int wsi_whole_write(int fd, const void *from, size_t n, uint64_t at);

#endif
