"""Figures of matplotlib that Jupyter shows once: at its end a cell shows what pyplot has drawn in
it, and before that its value, which is the figure that plot() returns."""

import inspect

import matplotlib
from matplotlib import pyplot
from matplotlib.figure import Figure


class Drawn(Figure):
    _shown = False      # in this cell, at whose end pyplot shows it again

    def _ipython_display_(self):
        """Nothing the second time; NotImplementedError: as IPython shows other figures."""
        at_end = ("inline" in matplotlib.get_backend().lower()
                  and pyplot.fignum_exists(getattr(self, "number", None)))
        self._shown = at_end and not self._shown
        if self._shown or not at_end:
            raise NotImplementedError


def subplots(*counts, **settings):
    """pyplot.subplots of such a figure; settings: of figures alone."""
    known = {*inspect.signature(pyplot.figure).parameters, *inspect.signature(Figure).parameters,
             *inspect.signature(pyplot.subplots).parameters}
    for name in settings:
        if name not in known and not hasattr(Figure, f"set_{name}"):
            raise TypeError(f"plot() has no option {name!r}, nor has matplotlib.pyplot.figure; what "
                            "is drawn can be changed in the figure that comes back")
    return pyplot.subplots(*counts, FigureClass=Drawn, **settings)
