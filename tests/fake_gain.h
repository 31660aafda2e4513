/* fake_gain.h - what test_device_work.c and fake_backend.c know of the transform `gain`. */
#ifndef FAKE_GAIN_H
#define FAKE_GAIN_H

#include <stddef.h>

typedef struct fake_gain_job {
	size_t channels, samples;
	double factor;
} fake_gain_job;

#endif
