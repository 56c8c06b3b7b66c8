"""Write safe, styled lines to a console: each is wrapped or cut here, and made visible here."""

from collections.abc import Iterable
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from affidavit.render.safe_text import encodable, one_line, prose_lines, visible, without_command_start

WIDEST = 120
"""Prose wider than this is hard to read, however wide the terminal is."""
NARROWEST = 30


@dataclass(frozen=True)
class Glyphs:
    """The signs that the report draws with."""

    rule: str
    bar: str
    mark: str
    dot: str
    ellipsis: str
    arrow: str
    dash: str


UNICODE = Glyphs(rule="─", bar="│", mark="▸", dot="·", ellipsis="…", arrow="→", dash="\u2013")
ASCII = Glyphs(rule="-", bar="|", mark=">", dot="-", ellipsis="...", arrow="->", dash="-")


class Ink:
    """A console with safe ways to write on it."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.encoding = console.encoding
        self.glyphs = UNICODE if self.encoding.startswith("utf") else ASCII
        self.width = max(console.width, NARROWEST)
        self.text_width = min(self.width, WIDEST)

    @property
    def has_colour(self) -> bool:
        """Colour is worth the work."""
        return self.console.color_system is not None and not self.console.no_color

    def safe(self, text: str) -> str:
        """One line of foreign text, in a form that this console can show."""
        return encodable(one_line(text), self.encoding)

    def safe_path(self, path: str) -> str:
        """A path; its white space is part of its name and is not folded."""
        return encodable(visible(path), self.encoding)

    def line(self, *parts: str | Text | tuple[str, str]) -> None:
        """One line as it is; wider than the console, it is cut."""
        text = Text.assemble(*parts)
        # What was wrapped may begin with anything, and white space before a command does not break it.
        inert = without_command_start(text.plain)
        if inert != text.plain:
            text = Text(inert, style=text.style)
        self.console.print(self.cut(text, self.width), soft_wrap=True)

    def head(self, title: str, *details: str | Text | tuple[str, str]) -> None:
        """The title of a change and what it comes to; a sign of ours begins the line, no foreign word."""
        self.line((f"{self.glyphs.mark} ", "dim"), (self.safe(title), "bold"))
        self.line("  ", *details)

    def path_heading(self, path: str) -> None:
        """A path between rules."""
        text = self.cut(Text(self.safe_path(path), style="bold"), self.text_width - 7)
        rule = self.glyphs.rule * max(self.text_width - text.cell_len - 4, 0)
        self.line((f"{self.glyphs.rule * 2} ", "dim"), text, " ", (rule, "dim"))

    def blank(self) -> None:
        """An empty line."""
        self.console.print()

    def cut(self, text: Text, width: int) -> Text:
        """At most `width` cells, ending in an ellipsis where something was cut."""
        text = text.copy()
        text.rstrip()
        if text.cell_len > width:
            text.truncate(max(width - len(self.glyphs.ellipsis), 0), overflow="crop")
            text.append(self.glyphs.ellipsis)
        return text

    def hanging(self, label: Text, body: Text, *, indent: int) -> None:
        """A label and a text beside it that wraps under itself."""
        start = Text(" " * indent).append_text(label)
        room = max(self.text_width - start.cell_len, NARROWEST - 10)
        under = " " * start.cell_len
        for number, wrapped in enumerate(self._wrapped(body, room)):
            self.line(start if number == 0 else under, wrapped)

    def code(self, label: Text, line: str, *, indent: int) -> None:
        """A foreign line as it stands, with its white space; control characters only show themselves."""
        self.hanging(label, Text(encodable(visible(line.expandtabs(4)), self.encoding)), indent=indent)

    def prose(self, text: str, *, indent: int, label: Text | None = None, style: str = "") -> None:
        """Foreign prose: its lines are kept and wrapped, and its code spans stand out."""
        for number, prose_line in enumerate(prose_lines(text)):
            start = label if label and number == 0 else Text(" " * (label.cell_len if label else 0))
            self.hanging(start, self.inline(prose_line, style), indent=indent)

    def inline(self, text: str, style: str = "") -> Text:
        """Text in which `code` is coloured; without colour the backticks stay and do the work."""
        safe = encodable(visible(text), self.encoding)
        pieces = safe.split("`")
        if not self.has_colour or len(pieces) % 2 == 0:
            return Text(safe, style=style)
        styled = Text(style=style)
        for number, piece in enumerate(pieces):
            styled.append(piece, style="cyan" if number % 2 else "")
        return styled

    def joined(self, parts: Iterable[str], style: str = "") -> Text:
        """Foreign sentences side by side, with a dot between them."""
        return self.inline(f" {self.glyphs.dot} ".join(" ".join(part.split()) for part in parts), style)

    def _wrapped(self, body: Text, room: int) -> list[Text]:
        lines = list(body.wrap(self.console, room, overflow="fold")) or [Text()]
        for wrapped in lines:
            wrapped.rstrip()
        return lines
