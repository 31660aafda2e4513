"""Results and plans as notebooks show them."""

from html import escape


def _table(rows):
    lines = ["<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>"
             for row in rows]
    return "<table>" + "".join(lines) + "</table>"


def _page(title, facts, arrays, options):
    """arrays: rows of name, axes, type and text."""
    given = [(k, v) for k, v in options.items() if v not in (None, "", False)]
    return (f"<div><b>{escape(title)}</b>{_table(facts)}{_table(arrays)}"
            f"<details><summary>Options</summary>{_table(given)}</details></div>")


def of_result(r):
    names = r.values_along("channel", r.channels)
    facts = [("samples", r.samples),
             ("rate", f"{r.fs:g} a second" if r.fs else "not known: axes count samples"),
             ("channels", ", ".join(names[:12]) + (", .." if len(names) > 12 else ""))]
    arrays = [(name, ", ".join(f"{d} {n}" for d, n in zip(r.dims(name), array.shape)),
               r.about[name].dtype, r.about[name].text) for name, array in r.arrays.items()]
    return _page(r.title, facts, arrays, r.options)


def of_plan(p):
    facts = [("shape", list(p.shape)), ("type", p.dtype), ("device", p.device),
             ("expected time", f"{p.seconds:.2g} s"), ("workspace", f"{p.workspace:,} bytes")]
    arrays = [(a.name, ", ".join(map(str, p.full_shape(a.name))), a.dtype, a.text)
              for a in p.arrays.values() if a.size]
    return _page(f"Plan: {p.row.title}", facts, arrays, p.options)
