"""Runs the rows of docs/validation.md (rows.py), and writes the page.

    validate.py [--build BUILD] [ROW ...]   all rows that this machine can run, or those named
    validate.py --section emd,memd          those of sections
    validate.py --merge FILE                takes results from FILE, as another machine wrote it
    validate.py --check                     runs nothing: is the page what the results say, and
                                            were all of them had since the last numerics version
                                            that changed what they look at (rows.py)?

What rows gave is kept in results.json beside this file: verdict, figures, what they printed, on
which processor or card, of which source.  A row that could not run here (NOT RUN) leaves what
another machine found, and says so on the terminal.  Tables and outputs between <!-- NAME --> and
<!-- end NAME --> in the page are replaced; the rest of the page is written by hand.  Exit status 1
if a row fails, or the check does.
"""
import argparse
import datetime
import json
import os
import re
import subprocess
import sys
import time

import rows

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PAGE = os.path.join(ROOT, "docs", "validation.md")
RESULTS = os.path.join(HERE, "results.json")
MOST_LINES = 100


def text_of(*command):
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        return done.stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def numerics():
    with open(os.path.join(ROOT, "src", "math", "real.h")) as f:
        return int(re.search(r"WSI_NUMERICS_VERSION (\d+)", f.read())[1])


def source():
    """The last commit that touched what is validated, with a + if there is more that it lacks."""
    commit = text_of("git", "log", "-1", "--format=%h", "--", "src", "include", "cli", "bindings")
    changed = text_of("git", "status", "--porcelain", "--", "src", "include", "cli", "bindings")
    return os.environ.get("WAVESIFT_COMMIT") or (commit or "unknown") + ("+" if changed else "")


def processor():
    with open("/proc/cpuinfo") as f:
        return re.search(r"model name\s*: (.*)", f.read() + "\nmodel name: unknown")[1]


def card():
    return text_of("nvidia-smi", "--query-gpu=name", "--format=csv,noheader").split("\n")[0]


def run(row, options):
    command = row.command.format(build=options.build, python=options.python,
                                 program=os.path.join(options.build, "wavesift"))
    began = time.monotonic()
    environment = dict(os.environ, BUILD=options.build, PYTHON=options.python, OMP_NUM_THREADS="1")
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    lines = [line.rstrip().replace(ROOT, ".") for line in done.stdout.splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith(("Internal ctest", "Test project"))]
    lines = [line for line in lines if not line.startswith("== ")]
    figures = [line for line in lines if re.search(r"\b(PASS|FAIL|pass)\b", line)]
    if done.returncode in (77, 127) or any("NOT RUN" in line for line in lines) and not figures:
        verdict = "NOT RUN"
    else:
        verdict = "FAIL" if done.returncode or any("FAIL" in f for f in figures) else "pass"
    return {
        "verdict": verdict, "figures": figures, "output": lines[-MOST_LINES:],
        "seconds": round(time.monotonic() - began, 1), "numerics": numerics(),
        "source": source(), "on": card() if row.gpu else processor(),
        "date": datetime.date.today().isoformat(),
    }


# ---- The page -------------------------------------------------------------------------

def short(figure):
    figure = re.sub(r"^(PASS|FAIL|pass): ?", "", figure)
    return re.sub(r"[:,]? *\(?\b(PASS|FAIL|pass)\b\)?$", "", figure).replace("|", "/")


def last_number(text):
    found = re.findall(r"\d\.\d+e[-+]\d+", text)
    return float(found[-1]) if found else 0.0


def figures_of(row, result):
    """What stands in the table: the figures, of many the one whose last number is largest."""
    if row.output:
        return f"[below](#{row.name})"
    tests = [line for line in result["output"] if "tests passed" in line]
    figures = result["figures"] or tests or result["output"][-3:]
    if len(figures) <= 3:
        return "; ".join(map(short, figures))
    worst = max(figures, key=lambda f: ("FAIL" in f, last_number(f)))
    return f"{len(figures)} cases; the worst: {short(worst)}"


def verdict_of(result):
    return "**fail**" if result["verdict"] == "FAIL" else result["verdict"]


def table(section, results):
    lines = ["| row | what | against | goal | result | verdict |", "|---|---|---|---|---|---|"]
    for row in rows.ROWS:
        if row.section != section:
            continue
        result = results.get(row.name)
        found = (figures_of(row, result), verdict_of(result)) if result else ("", "NOT RUN")
        lines.append(f"| `{row.name}` | {row.what} | {row.against} | {row.goal} | {found[0]} | "
                     f"{found[1]} |")
    return "\n".join(lines)


def output(row, results):
    result = results.get(row.name)
    text = "\n".join(result["output"]) if result else "NOT RUN"
    return f'<a id="{row.name}"></a>`{row.name}`:\n\n```\n{text}\n```'


def provenance(results):
    """Where and when: one line for each machine, source and numerics."""
    kinds = {}
    for row in rows.ROWS:
        if row.name in results:
            r = results[row.name]
            kinds.setdefault((r["on"], r["source"], r["numerics"], r["date"]), []).append(row.name)
    lines = ["| on | source | numerics | date | rows |", "|---|---|---|---|---|"]
    for (on, commit, version, date), names in sorted(kinds.items()):
        lines.append(f"| {on} | {commit} | {version} | {date} | {', '.join(names)} |")
    return "\n".join(lines)


def render(page, results):
    places = {f"table {s}": table(s, results) for s in {row.section for row in rows.ROWS}}
    places.update({f"output {r.name}": output(r, results) for r in rows.ROWS if r.output})
    places["provenance"] = provenance(results)
    for name, text in places.items():
        pattern = re.compile(f"<!-- {re.escape(name)} -->.*?<!-- end {re.escape(name)} -->", re.S)
        if not pattern.search(page):
            raise SystemExit(f"validate: docs/validation.md has no place for '{name}'")
        page = pattern.sub(lambda _, n=name, t=text: f"<!-- {n} -->\n{t}\n<!-- end {n} -->", page)
    return page


def read(path, otherwise="{}"):
    return open(path).read() if os.path.exists(path) else otherwise


def write(results):
    ordered = {row.name: results[row.name] for row in rows.ROWS if row.name in results}
    with open(RESULTS, "w") as f:
        f.write(json.dumps(ordered, indent=1) + "\n")
    page = render(read(PAGE, ""), ordered)
    with open(PAGE, "w") as f:
        f.write(page)


def check(results):
    good = True
    if render(read(PAGE, ""), results) != read(PAGE, ""):
        print("validate: docs/validation.md is not what bench/validation/results.json says; "
              "run bench/validation/validate.py --merge bench/validation/results.json")
        good = False
    for row in rows.ROWS:
        result = results.get(row.name)
        if result and not row.numerics <= result["numerics"] <= numerics():
            print(f"validate: row {row.name} is of numerics version {result['numerics']}, "
                  f"version {row.numerics} changed it, today's is {numerics()}: run it again")
            good = False
    return good


def chosen(options):
    known = {row.name: row for row in rows.ROWS}
    for name in options.rows:
        if name not in known:
            raise SystemExit(f"validate: no row '{name}'; rows: {' '.join(known)}")
    if options.rows:
        return [known[name] for name in options.rows]
    sections = options.section.split(",") if options.section else None
    return [row for row in rows.ROWS
            if (not sections or row.section in sections) and (not row.gpu or card())]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("rows", nargs="*")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--section")
    parser.add_argument("--merge")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    results = json.loads(read(RESULTS))
    if options.check:
        return 0 if check(results) else 1
    if options.merge:
        results.update(json.loads(read(options.merge)))
        write(results)
        return 0
    failed = []
    for row in chosen(options):
        print(f"{row.name} (some {row.minutes:g} minutes) ..", flush=True)
        result = run(row, options)
        print(f"{row.name}: {result['verdict']}, {result['seconds']} s", flush=True)
        if result["verdict"] == "FAIL":
            failed.append(row.name)
        if result["verdict"] != "NOT RUN" or row.name not in results:
            results[row.name] = result
        write(results)
    if failed:
        print("validate: failed:", " ".join(failed))
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
