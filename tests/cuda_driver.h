/*
 * cuda_driver.h - CUDA's driver, found at run time: tests ask it for memory and streams, as a
 * program beside wavesift would.
 */
#ifndef CUDA_DRIVER_H
#define CUDA_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uintptr_t address;      /* CUdeviceptr */

/* Functions of the driver; each returns 0 where it worked. */
typedef struct cuda_driver {
	int (*init)(unsigned flags);
	int (*retain)(void **context, int device);
	int (*set)(void *context);
	int (*alloc)(address *p, size_t bytes);
	int (*free)(address p);
	int (*to_device)(address to, const void *from, size_t bytes);
	int (*to_host)(void *to, address from, size_t bytes);
	int (*fill)(address to, unsigned value, size_t n, void *stream);
	int (*copy)(address to, address from, size_t bytes, void *stream);
	int (*stream)(void **stream, unsigned flags);
	int (*wait)(void *stream);
} cuda_driver;

extern cuda_driver cu;

/* Fills cu, and makes the first GPU's context that of this thread; fails the test where there is no
 * driver. */
void open_driver(void);

/* Memory of that GPU, to be given to cu.free(). */
address on_device(size_t bytes);

#endif
