"""Prints the lines that the runners of this folder wrote as a table, a row per shape
and type, with the published method's times over wavesift's.

    python3 bench/cuda/table.py BUILD/bench/cuda/cuda.jsonl
"""
import json
import sys

HEAD = ["samples x rows", "type", "mode(s)", "published, ps", "wavesift, ps", "ratio",
        "published's error"]
ABSENT = "NOT RUN"


def read(path):
    """{(n, rows, type): {what: line}}, in the file's order."""
    shapes = {}
    with open(path) as lines:
        for line in map(json.loads, lines):
            shapes.setdefault((line["n"], line["rows"], line["type"]), {})[line["what"]] = line
    return shapes


def rows(shapes):
    for (n, count, kind), lines in shapes.items():
        peer, ours = lines.get("published"), lines.get("wavesift")
        for modes, key in (("first", "first_mode_ps"), ("all", "all_modes_ps")):
            yield [f"{n} x {count}", kind, modes,
                   f"{peer[key]:.1f}" if peer else ABSENT,
                   f"{ours[key]:.1f}" if ours else ABSENT,
                   f"{peer[key] / ours[key]:.1f}" if peer and ours else ABSENT,
                   f"{peer['error']:.1e}" if peer else ABSENT]


def main(path):
    table = [HEAD, *rows(read(path))]
    widths = [max(map(len, column)) for column in zip(*table)]
    print("ps: per sample and sift, execute only, medians; error: relative, of the first mode")
    for row in table:
        print("  ".join(cell.rjust(width) for cell, width in zip(row, widths)))


main(sys.argv[1])
