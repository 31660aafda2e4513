"""Puts the results of a run of the benchmarks into docs/performance.md: what
stands between <!-- NAME --> and <!-- end NAME --> is replaced.

    python3 bench/report.py BUILD/bench docs/performance.md

A program whose JSON is absent leaves NOT RUN in its places.
"""
import json
import os
import re
import sys


def table(head, rows):
    if not rows:
        return "NOT RUN"
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(r) + " |" for r in rows])


def size(row):
    n = f"{row['samples']:,}".replace(",", " ")
    return n if row["realizations"] == 1 else f"{n} x {row['realizations']}"


def machine(data):
    m = (data.get("emd") or data.get("slots") or {}).get("machine")
    if not m:
        return "NOT RUN"
    return (f"{m['cpu']}, {m['processors']} processors, gcc {m['compiler']}, "
            f"wavesift {m['version']}, {m['date']}; load average {m['load']:.1f} at the end.")


def one_core(data):
    rows = [r for r in rows_of(data, "emd") if r["what"] == "one core"]
    return table(["method", "samples", "kernels", "type", "ns per sample per sift", "least",
                  "seconds", "modes", "sifts"],
                 [[r["method"], size(r), r["isa"], r["type"], f"{r['ns']:.2f}",
                   f"{r['least_ns']:.2f}", f"{r['seconds']:.4f}", str(r["modes"]),
                   f"{r['sifts']:.0f}"] for r in rows])


def threads(data):
    rows = [r for r in rows_of(data, "emd") if r["what"] == "threads"]
    return machine(data) + "\n\n" + table(
        ["method", "samples", "type", "threads", "gain", "arithmetic gains", "efficiency",
         "of the shortest times"],
        [[r["method"], size(r), r["type"], str(r["threads"]), f"{r['gain']:.2f}",
          f"{r['yardstick']:.2f}", f"{100 * r['efficiency']:.0f} %",
          f"{100 * r['least_efficiency']:.0f} %"] for r in rows])


def memory(data):
    rows = [r for r in rows_of(data, "emd") if r["what"] == "memory"]
    return table(["samples", "modes K", "workspace, MiB", "I x N, MiB", "K x I x N, MiB",
                  "input and output, MiB", "process holds at most, MiB"],
                 [[size(r), str(r["modes"]), f"{r['workspace_mib']:.1f}",
                   f"{r['one_state_mib']:.1f}", f"{r['one_state_mib'] * r['modes']:.1f}",
                   f"{r['in_and_out_mib']:.1f}", f"{r['held_mib']:.1f}"] for r in rows])


def peers(data):
    rows = rows_of(data, "peers") + rows_of(data, "peers_python")
    seen = {r["peer"].split()[0] for r in rows}
    text = table(["peer", "its method", "ours", "samples", "its ns per sample per sift", "ours",
                  "ratio", "sifts, its and ours"],
                 [[r["peer"], r["theirs"], r["ours"], size(r), f"{r['their_ns']:.1f}",
                   f"{r['our_ns']:.2f}", f"**{r['ratio']:.1f}**",
                   f"{r['their_sifts']:.0f}, {r['our_sifts']:.0f}"] for r in rows])
    absent = [p for p in ("libeemd", "EMD-signal", "emd") if p not in seen]
    return text + (f"\n\nNOT RUN: {', '.join(absent)}." if absent and rows else "")


def slots(data):
    rows = [r for r in rows_of(data, "slots") if "density" in r]
    keys, cells = [], {}
    for r in rows:
        density = f" at {r['density']:.2f}" if r["density"] else ""
        unit = ", a knot" if r["slot"] == "knot" else ""
        key = (r["slot"] + density + unit, r["type"])
        if key not in keys:
            keys.append(key)
        limit = f" / {r['limit']:.3f}" if r["limit"] else ""
        cells[key, r["isa"]] = f"{r['ns']:.3f}{limit}"
    isas = list(dict.fromkeys(r["isa"] for r in rows))
    keys.sort(key=lambda k: k[1], reverse=True)
    return table(["slot", "type"] + [f"{i}: ns / limit" if i != "plain" else "plain: ns"
                                     for i in isas],
                 [[k[0], k[1]] + [cells.get((k, i), "-") for i in isas] for k in keys])


def limits(data):
    rows = rows_of(data, "slots")
    copy = [r for r in rows if r["slot"] == "memory"]
    rates = [r for r in rows if r["slot"] == "limits" and r["f64_per_ns"]]
    if not copy or not rates:
        return "NOT RUN"
    text = (f"memcpy moves {rates[0]['bytes_per_ns']:.0f} bytes a ns in L2 and "
            f"{copy[0]['bytes_per_ns']:.0f} in memory; multiply-adds a ns, f64 and f32: ")
    return text + "; ".join(f"{r['isa']} {r['f64_per_ns']:.0f} and {r['f32_per_ns']:.0f}"
                            for r in rates) + "."


def commands(data):
    of = data.get("commands")
    if not of:
        return "NOT RUN"
    lines = [[r["what"], f"{r['seconds']:.3f}", f"{r['processor']:.3f}",
              f"{r['limit']:.3f}, {r['limit_is']}" if "limit" in r else "",
              f"**{r['ratio']:.2f}**" if "limit" in r else "",
              f"{r['base_ratio']:.3f}" if "base_ratio" in r else ""] for r in of["rows"]]
    return (f"{of['date']}, {of['processors']} processors, load average {of['load']:.1f} at the end."
            "\n\n" + table(["command", "s", "s of processors", "limit, s", "of the limit",
                            "of the other build"], lines))


def rows_of(data, program):
    return (data.get(program) or {}).get("rows", [])


def main():
    folder, page = sys.argv[1:3]
    data = {}
    for program in ("slots", "emd", "peers", "peers_python", "commands"):
        path = os.path.join(folder, program + ".json")
        if os.path.exists(path):
            with open(path) as f:
                data[program] = json.load(f)
    with open(page) as f:
        text = f.read()
    for part in (machine, one_core, threads, memory, peers, slots, limits, commands):
        name = part.__name__
        pattern = re.compile(f"(<!-- {name} -->\n).*?(<!-- end {name} -->)", re.DOTALL)
        text, found = pattern.subn(lambda m: m[1] + part(data) + "\n" + m[2], text)
        if found != 1:
            sys.exit(f"report: {page} must have one place for {name}")
    with open(page, "w") as f:
        f.write(text)
    print(f"-> {page}")


if __name__ == "__main__":
    main()
