"""The table of transforms."""

from . import _options


class Row:
    """A transform of the table."""

    def __init__(self, transform):
        self.transform = transform
        self.name = transform.name.decode()
        self.title = transform.title.decode()
        self.summary = transform.summary.decode()
        self.text = transform.text.decode()
        self.folder = transform.folder.decode() if transform.folder else ""
        self.gathers = bool(transform.takes_epochs)
        self.needs_epochs = transform.takes_epochs == 1
        self.examples = []
        while transform.examples and transform.examples[len(self.examples)]:
            self.examples.append(transform.examples[len(self.examples)].decode())
        self.options = _options.of(transform)


ROWS = {row.name: row for row in map(Row, _options.transforms())}
