/* old_glibc.c - what the libstdc++ of a newer system asks of glibc 2.32 and 2.36, for a GPU's
 * backend that holds that libstdc++ and is to run on 2.28.  Hidden from everybody else. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

uint32_t arc4random(void);

/* 0: there may be threads, so counts of owners are atomic. */
char __libc_single_threaded;

/* Of std::random_device, which the backend has no use for. */
uint32_t
arc4random(void)
{
	uint32_t number;
	if (getrandom(&number, sizeof number, 0) != sizeof number)
		abort();
	return number;
}
