"""Labelled lines as people have them: a label and a text a line, or a table with columns, quotes
and a header.
"""

import csv
import html
import io
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ui.lenses.train.handlers.input_forms import InputForm, texts_of
from ui.shared.inputs import InputError

MOST_LABELS = 20
MOST_LINES = 20_000
_LEAST_LINES = 10
_LEAST_OF_LABEL = 2
# that are looked at; what is wider is a text with many commas
_MOST_RECORDS = 100_000
_MOST_COLUMNS = 50
_SEPARATORS = {"\t": "tabs", ",": "commas", ";": "semicolons"}
_DIVIDED = 0.9  # share of the lines that a separator divides, in a table
# What columns of labels and of texts are called in data sets that people download.
_LABEL_NAMES = {
    "label",
    "labels",
    "class",
    "category",
    "sentiment",
    "target",
    "polarity",
    "tag",
    "intent",
    "y",
    "v1",
    "gold_label",
    "is_duplicate",
    "answer",
    "score",
}
_TEXT_NAMES = {
    "text",
    "texts",
    "sentence",
    "review",
    "message",
    "content",
    "comment",
    "tweet",
    "title",
    "document",
    "v2",
    "x",
    "premise",
    "hypothesis",
    "sentence1",
    "sentence2",
    "question1",
    "question2",
    "question",
    "context",
    "body",
}
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")


class _Row(list[str]):
    """The cells of a record.

    Args:
        line: of the text, the first is 1, that it begins on.
    """

    def __init__(self, cells: Iterable[str], line: int) -> None:
        super().__init__(cells)
        self.line = line


@dataclass(frozen=True)
class LabelledLines:
    """Labelled lines, and how they were read."""

    names: Sequence[str]  # of the labels
    lines: Sequence[tuple[int, tuple[str, ...]]]  # (which label, texts) of every different line
    told: str  # how they were read, as a sentence
    n_given: int  # lines, those that occur twice counted twice

    @property
    def counts(self) -> list[int]:
        """Different lines of each label."""
        found = Counter(label for label, _ in self.lines)
        return [found[index] for index in range(len(self.names))]


def read_lines(text: str, form: InputForm) -> LabelledLines:
    """Reads a label and what the form wants from every line.

    A line is a label, a tab, comma or semicolon, and the rest; or a record of a table, whose
    quotes, header and empty columns are recognised. The class is the column of a known name, else
    the one with the fewest different values.

    Raises:
        InputError: invalid lines, fewer than two labels, or too few lines of one.
    """
    records, separator = _records(
        text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    )
    if len(records) > _MOST_RECORDS:
        raise InputError(
            f"There are {len(records):,} lines; at most {_MOST_RECORDS:,} are read. Give fewer."
        )
    header = _header(records)
    body = records[1:] if header else records
    label, texts = _columns(body, header, form)
    rows = list[tuple[str, tuple[str, ...]]]()
    for row in body:
        name = _cell(row, label)
        rest = _rest(row, texts, separator, form)
        if not name or not rest.strip():
            shown = separator.join(row)[:40]
            raise InputError(
                f"Line {row.line} is {shown!r}; write a label, a tab or a comma, and {form.line}."
            )
        rows.append((name, texts_of(form, rest, f"Line {row.line}")))
    lines = [row.line for row in body]
    return _checked(rows, lines, form, _told(separator, header, label, texts))


def _records(text: str) -> tuple[list[_Row], str]:
    """(the cells of each record that is not empty, their separator).

    Where several separators divide the lines, it is the one that leaves a column with the fewest
    different values: the others stand in texts.
    """
    tables = list[tuple[int, list[_Row], str]]()
    for separator in _SEPARATORS:
        records = [row for row in _parsed(text, separator) if any(cell.strip() for cell in row)]
        divided = sum(len(row) > 1 for row in records) / max(1, len(records))
        if divided >= _DIVIDED:
            tables.append((_fewest_values(records), records, separator))
    if tables:
        _, records, separator = min(tables, key=lambda table: table[0])
        return records, separator
    # each with the separator that it has
    return [
        _Row(line.split(next((item for item in _SEPARATORS if item in line), ","), 1), number)
        for number, line in enumerate(text.split("\n"), 1)
        if line.strip(" \t,;")
    ], ","


def _fewest_values(records: Sequence[Sequence[str]]) -> int:
    """The number of different values in the column that has the fewest, but at least two."""
    columns = range(min(_MOST_COLUMNS, max(map(len, records))))
    counts = [len({_cell(row, column) for row in records}) for column in columns]
    return min((count for count in counts if count > 1), default=len(records))


def _parsed(text: str, separator: str) -> list[_Row]:
    """The records of a table; without quotes where they are no quotes of a table."""
    for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_NONE):
        reader = csv.reader(
            io.StringIO(text, newline=""), delimiter=separator, quoting=quoting, strict=True
        )
        rows = list[_Row]()
        line = 1
        try:
            for cells in reader:
                rows.append(_Row(cells, line))
                line = reader.line_num + 1
        except csv.Error:
            continue
        return rows
    return [_Row(line.split(separator), number) for number, line in enumerate(text.split("\n"), 1)]


def _cell(row: Sequence[str], column: int) -> str:
    return row[column].strip() if column < len(row) else ""


def _header(records: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """The first record, where it names the columns; else ()."""
    if len(records) < 2 or len(records[0]) > _MOST_COLUMNS:
        return ()
    first = [cell.strip() for cell in records[0]]
    names = [cell.casefold() for cell in first if cell]
    has_known = bool({*names} & _LABEL_NAMES) and bool({*names} & _TEXT_NAMES)
    values = {_cell(row, index).casefold() for row in records[1:] for index in range(len(first))}
    return tuple(first) if has_known and not {*names} & values else ()


def _columns(
    rows: Sequence[Sequence[str]], header: Sequence[str], form: InputForm
) -> tuple[int, list[int]]:
    """(the column of the labels, those of the texts) of a table; no texts where these are lines,
    whose label is first.

    Lines are what has no header and a class in front: a text may have commas of its own.
    """
    width = max(map(len, rows), default=0)
    if width > _MOST_COLUMNS:
        return 0, []
    kept = [index for index in range(width) if any(_cell(row, index) for row in rows)]
    is_full = len(kept) > 1 and all(_cell(row, column) for row in rows for column in kept)
    different = {column: len({_cell(row, column) for row in rows}) for column in kept}
    few = [column for column in kept if 2 <= different[column] <= min(MOST_LABELS, len(rows) // 2)]
    has_class_in_front = few[:1] == kept[:1]
    if not header and (not is_full or (has_class_in_front and (len(kept) > 2 or form.most > 1))):
        return 0, []
    named = [column for column in kept if _cell(header, column).casefold() in _LABEL_NAMES]
    label = named[0] if named else min(few, key=lambda column: different[column], default=kept[0])
    others = [column for column in kept if column != label]
    words = [
        other for other in others if not all(_NUMBER.fullmatch(_cell(row, other)) for row in rows)
    ] or others
    if form.most == 1:  # the longest texts
        words = [max(words, key=lambda column: sum(len(_cell(row, column)) for row in rows))]
    return label, words


def _rest(row: Sequence[str], texts: Sequence[int], separator: str, form: InputForm) -> str:
    """Joins the text beside the label, in the form that `texts_of` divides."""
    cells = [_cell(row, text) for text in texts]
    if not texts:
        cells = [cell for cell in row[1:] if cell.strip()]
    has_bars = any("|" in cell for cell in cells)
    between = "|" if form.most > 1 and not has_bars and separator != "\t" else separator
    return (between if not texts or form.most == 1 else "|").join(cells)


def _told(separator: str, header: Sequence[str], label: int, texts: Sequence[int]) -> str:
    """Describes how a table was read, as a sentence."""
    told = f"Separated by {_SEPARATORS[separator]}"
    if header:
        told += f"; the first line is a header ({', '.join(name for name in header if name)})"
    if not texts:
        return f"{told}; the label comes first."

    def named(column: int) -> str:
        name = _cell(header, column)
        return f"column {column + 1}" + (f" ({name})" if name else "")

    return f"{told}; the label is in {named(label)}, the text in {' and '.join(map(named, texts))}."


def _checked(
    rows: Sequence[tuple[str, tuple[str, ...]]], lines: Sequence[int], form: InputForm, told: str
) -> LabelledLines:
    """The lines, with their labels numbered. Raises InputError as `read_lines`.

    Args:
        lines: on which the rows begin.
    """
    names = sorted({label for label, _ in rows})
    if form.answers_compete:
        names = _answer_numbers(rows, lines)
    if not 2 <= len(names) <= MOST_LABELS:
        raise InputError(
            f"There are {len(names)} different labels; give 2 to {MOST_LABELS}, each with "
            f"several lines. {told}"
        )
    different = dict.fromkeys(rows)
    if not _LEAST_LINES <= len(different) <= MOST_LINES:
        raise InputError(
            f"There are {len(different)} different labelled lines; give {_LEAST_LINES} to "
            f"{MOST_LINES:,}. {told}"
        )
    numbered = [(names.index(label), texts) for label, texts in different]
    read = LabelledLines(names, numbered, told, len(rows))
    alone = [
        name for name, count in zip(names, read.counts, strict=True) if 0 < count < _LEAST_OF_LABEL
    ]
    if alone and not form.answers_compete:
        raise InputError(
            f"The label {alone[0][:40]!r} has a single line, and it cannot be both learned and "
            f"held out. Give it another, or leave it out. {told}"
        )
    return read


def _answer_numbers(rows: Sequence[tuple[str, tuple[str, ...]]], lines: Sequence[int]) -> list[str]:
    """ "1" to the number of answers, the same on every line. Raises InputError for a line with
    others.
    """
    n = len(rows[0][1]) - 1 if rows else 0
    names = [str(number) for number in range(1, n + 1)]
    for line, (label, texts) in zip(lines, rows, strict=True):
        if (given := len(texts) - 1) != n:
            raise InputError(
                f"Line {line} has {given} answers; the first has {n}. Give each line the "
                "same number."
            )
        if label not in names:
            raise InputError(
                f"Line {line} has the label {label[:20]!r}; write the right answer's number, "
                f"1 to {n}."
            )
    return names


# lines on the page, and characters of each text
_PREVIEWED = 3
_SHOWN = 120


def preview(read: LabelledLines) -> str:
    """Renders how lines were read, the first of them, and how many each label has, as HTML."""
    shown = ""
    for label, texts in read.lines[:_PREVIEWED]:
        cut = " | ".join(text[:_SHOWN] + ("…" if len(text) > _SHOWN else "") for text in texts)
        shown += f"<li><b>{html.escape(read.names[label])}</b> {html.escape(cut)}</li>"
    counts = " · ".join(
        f"{html.escape(name[:40])}: {count:,}"
        for name, count in zip(read.names, read.counts, strict=True)
    )
    return f"<p>{html.escape(read.told)} Lines of each label: {counts}.</p><ul>{shown}</ul>"
