"""A synthetic voice, for the experiment of Waskito et al. 2011, and how far f32 drifts from f64.

    voice.py make FILE.npy [SEGMENTS SAMPLES]   20 of 65 536 at 44.1 kHz: a fundamental with
                                                vibrato and tremolo, its overtones, a hiss
    voice.py drift F64.npy F32.npy              rms of the difference of each mode in units of its
                                                std, mean over segments

Needs nothing but Python.
"""
import array
import ast
import math
import random
import sys

RATE = 44100.0


def write(path, type_, shape, values):
    head = f"{{'descr': '<{type_}', 'fortran_order': False, 'shape': {shape}, }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode())
        values.tofile(f)


def read(path):
    with open(path, "rb") as f:
        version = f.read(8)[6]
        size = int.from_bytes(f.read(2 if version == 1 else 4), "little")
        head = ast.literal_eval(f.read(size).decode())
        values = array.array({"<f8": "d", "<f4": "f"}[head["descr"]])
        values.frombytes(f.read())
    return head["shape"], values


def voice(segments, samples):
    draw = random.Random(1)
    x = array.array("d")
    phase = 0.0
    for i in range(segments * samples):
        t = i / RATE
        phase += 2.0 * math.pi * (220.0 + 6.0 * math.sin(2.0 * math.pi * 5.5 * t)) / RATE
        loud = 1.0 + 0.3 * math.sin(2.0 * math.pi * 4.0 * t)
        tones = sum(math.sin(k * phase) / k ** 1.5 for k in range(1, 9))
        x.append(loud * tones + 0.02 * draw.gauss(0.0, 1.0))
    return x


def drift(f64, f32):
    (channels, modes, n), a = read(f64)
    shape, b = read(f32)
    if shape[0] != channels or shape[2] != n:
        sys.exit(f"voice: {f64} and {f32} are of other signals")
    for k in range(min(modes, shape[1]) - 1):
        sum_ = 0.0
        for c in range(channels):
            p, q = a[(c * modes + k) * n:][:n], b[(c * shape[1] + k) * n:][:n]
            mean = math.fsum(p) / n
            std = math.sqrt(math.fsum((v - mean) ** 2 for v in p) / n)
            rms = math.sqrt(math.fsum((v - w) ** 2 for v, w in zip(p, q)) / n)
            sum_ += rms / std if std > 0.0 else 0.0
        print(f"mode {k + 1}: {sum_ / channels:.2g}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["make"] and len(sys.argv) in (3, 5):
        shape = tuple(int(v) for v in sys.argv[3:]) or (20, 65536)
        write(sys.argv[2], "f8", shape, voice(*shape))
    elif sys.argv[1:2] == ["drift"] and len(sys.argv) == 4:
        drift(*sys.argv[2:])
    else:
        sys.exit(__doc__)
