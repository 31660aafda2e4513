"""Where type checkers are to object: at each line that says so, and nowhere else."""

import wavesift

r = wavesift.emd([1.0, 2.0], fs=250)
r.nonsense  # error
wavesift.emd([1.0], modes="three")  # error
wavesift.emd([1.0], boundary="mirrored")  # error
wavesift.emd([1.0], realizations=3)  # error
wavesift.load("x.h5").nonsense  # error
r.modes = "text"  # error
r.title.nonsense  # error
r.coefficients  # error
wavesift.cwt([1.0], freqs={4, 8})  # error
