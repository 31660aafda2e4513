"""
On a GPU, without leaving it
============================

Arrays of CuPy and PyTorch are worked on where they lie.  This script needs an NVIDIA GPU, the
backend of wavesift for it, and CuPy.

::

    import cupy
    import wavesift

    x = cupy.random.standard_normal((64, 1_000_000), dtype="f4").cumsum(axis=-1)
    r = wavesift.iceemdan(x, fs=250, realizations=100, modes=12)

    r.modes                     # a CuPy array [64, 12, 1000000] in the GPU's memory
    r.mode_count                # NumPy: it is small
    cupy.square(r.modes).mean(axis=-1)      # goes on there, on the same stream
"""
# %%
import sys

import wavesift

usable = [d["model"] for d in wavesift.devices() if d["usable"]]
print("GPUs that can be used:", ", ".join(usable) or "none")
if not usable:
    sys.exit(0)

# %%
import cupy  # noqa: E402

with cupy.cuda.Stream(non_blocking=True):
    x = cupy.random.standard_normal((64, 100_000), dtype="f4").cumsum(axis=-1)
    r = wavesift.iceemdan(x, fs=250, realizations=20, modes=8)
    power = cupy.square(r.modes).mean(axis=-1)
print(r, power.shape)
