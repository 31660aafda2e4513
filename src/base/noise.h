/* noise.h - rows of white noise: math/gaussian.h, drawn in f64, rounded for f32. */
#ifndef WSI_NOISE_H
#define WSI_NOISE_H

#include <stddef.h>
#include <stdint.h>

#include "wavesift/wavesift.h"

/* out[0..n): samples first .. first + n - 1 of one realization; first even. */
void wsi_noise_draw(ws_type type, uint64_t seed, uint32_t stream, uint32_t realization,
                    uint64_t first, size_t n, void *out);

#endif
