/* noise.c - rows of white noise. */
#include "base/noise.h"

#include "math/gaussian.h"

void
wsi_noise_draw(ws_type type, uint64_t seed, uint32_t stream, uint32_t realization,
               uint64_t first, size_t n, void *out)
{
	for (size_t i = 0; i < n; i += 2) {
		double z[2];
		gaussian_pair(seed, stream, realization, (first + i) / 2, z);
		for (size_t k = 0; k < 2 && i + k < n; ++k) {
			if (type == WS_F64)
				((double *)out)[i + k] = z[k];
			else
				((float *)out)[i + k] = (float)z[k];
		}
	}
}
