"""Largest x = a c_l + c a_r of each PCR step, searched over knot spacings: what
terms_of() in solver_math.h rests on.  Prints steps 0..4 for natural and
not-a-knot ends.  Takes some seconds; a random search, so a lower bound that settles."""
import math
import random


def largest_x(h, not_a_knot):
    n = len(h) + 1
    rows = []
    for j in range(n):
        if j in (0, n - 1):
            end = 0 if not_a_knot else -0.5
            rows.append((0, end) if j == 0 else (end, 0))
            continue
        w = 0.5 / (h[j - 1] + h[j])
        a, c = -h[j] * w, -h[j - 1] * w
        if not_a_knot and j == 1:
            a, c = 0, 2 * c
        if not_a_knot and j == n - 2:
            a, c = 2 * a, 0
        rows.append((a, c))
    found = []
    for step in range(5):
        s = 1 << step
        padded = [(0, 0)] * s + rows + [(0, 0)] * s
        left, right = padded[:n], padded[2 * s:]
        x = [a * l[1] + c * r[0] for (a, c), l, r in zip(rows, left, right)]
        found.append(max(x))
        rows = [(a * l[0] / (1 - q), c * r[1] / (1 - q))
                for (a, c), l, r, q in zip(rows, left, right, x)]
    return found


random.seed(3)
for not_a_knot in (False, True):
    best, where = [0] * 5, [None] * 5
    for trial in range(30000):
        old = where[trial % 5]
        if old is None or random.random() < 0.3:
            top = random.choice((3, 8, 20))
            h = [math.exp(random.uniform(0, top)) for _ in range(24)]
        else:
            h = [v * math.exp(random.gauss(0, random.choice((0.1, 1))))
                 if random.random() < 0.3 else v for v in old]
        for k, x in enumerate(largest_x(h, not_a_knot)):
            if x > best[k]:
                best[k], where[k] = x, h
    print("not-a-knot" if not_a_knot else "natural",
          " ".join(f"{b:.3g} (1/{1 / b:.4g})" for b in best))
