"""Make text of a change inert: on a terminal, in markdown, in the log of a build.

Everything in a change is data. An escape sequence in a title must not move the cursor, a bidi control must
not reorder the code under review, a backtick in a comment must not end a code block, and a commit's subject
must not be a command to the machine that runs the build and reads its log.
"""

import re

_INVISIBLE_RANGES = (
    (0x00, 0x1F),
    (0x7F, 0x9F),
    (0xAD, 0xAD),
    (0x34F, 0x34F),
    (0x600, 0x605),
    (0x61C, 0x61C),
    (0x6DD, 0x6DD),
    (0x70F, 0x70F),
    (0x890, 0x891),
    (0x8E2, 0x8E2),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x2028, 0x202E),
    (0x2060, 0x206F),
    (0x2800, 0x2800),
    (0x3164, 0x3164),
    (0xD800, 0xF8FF),
    (0xFDD0, 0xFDEF),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB),
    (0xFFFE, 0xFFFF),
    (0x110BD, 0x110BD),
    (0x110CD, 0x110CD),
    (0x13430, 0x1345F),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0x10FFFF),
)
"""Controls, format characters, line separators, surrogates, private use, and other invisible characters."""

_CLASS = "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in _INVISIBLE_RANGES)
_INVISIBLE = re.compile(f"[{_CLASS}]")
# U+FE0F asks for the coloured form of a symbol. After a symbol it is ordinary text; elsewhere it hides.
_EMOJI_STYLE = re.compile("(?<=[\u203c-\u3299\U0001f000-\U0001faff])\ufe0f")


# Obeyed anywhere in a line: `##vso[` and `##[` by Azure and GitHub, `##teamcity[`, and the marks
# by which GitLab and Travis fold a log.
_COMMAND_ANYWHERE = re.compile(
    r"##(?=[\w.]*\[)|(?:section_(?:start|end)|travis_(?:fold|time))(?=:)", re.IGNORECASE
)
# Obeyed by GitHub at the start of a line, white space or not. By name, because `::std::string` is C++.
_COMMAND_AT_START = re.compile(
    r"^([^\S\n]*:)(?=:(?:add-mask|add-matcher|remove-matcher|add-path|debug|echo|endgroup|error|group|notice"
    r"|save-state|set-env|set-output|stop-commands|warning|internal-[\w-]*)\b[^\n]*::)",
    re.IGNORECASE | re.MULTILINE,
)
_PAIR_AT_START = re.compile(r"^([^\S\n]*:)(?=:)")


def visible(text: str, *, keep: str = "") -> str:
    """Show invisible characters: `␛` for escape, `<U+202E>` for a bidi control; leave those in `keep`.

    Break commands to CI runners, too.
    """
    text = _EMOJI_STYLE.sub("", text)
    text = _INVISIBLE.sub(lambda match: match[0] if match[0] in keep else _picture(match[0]), text)
    return without_commands(text)


def without_commands(text: str) -> str:
    """Break commands that CI runners obey in logs, such as `##vso[…]` and `::set-env …::`, with a space."""
    text = _COMMAND_ANYWHERE.sub(lambda match: "# #" if match[0] == "##" else f"{match[0]} ", text)
    return _COMMAND_AT_START.sub(r"\1 ", text)


def without_command_start(line: str) -> str:
    """Break a pair of colons at the start of a line, whatever follows."""
    return _PAIR_AT_START.sub(r"\1 ", line)


def json_without_commands(text: str) -> str:
    """Escape one character of each command to CI runners in a JSON text; its value stays the same."""
    return _COMMAND_ANYWHERE.sub(lambda match: f"{match[0][:-1]}\\u{ord(match[0][-1]):04x}", text)


def _picture(character: str) -> str:
    number = ord(character)
    if number < 0x20:
        return chr(0x2400 + number)
    return "␡" if number == 0x7F else f"<U+{number:04X}>"


def one_line(text: str, limit: int | None = None) -> str:
    """Fold white space and show the rest visibly; longer than `limit` is cut with an ellipsis."""
    return clip(visible(" ".join(text.split())), limit)


def code_lines(text: str) -> list[str]:
    """Return the lines of code, with tabs as spaces and invisible characters shown."""
    lines = text.split("\n")
    if lines[-1] == "" and len(lines) > 1:
        lines.pop()
    return [visible(line.removesuffix("\r").expandtabs(4)) for line in lines]


def prose_lines(text: str) -> list[str]:
    """Return the lines of prose without trailing white space, with invisible characters shown."""
    return [visible(line.rstrip().expandtabs(4)) for line in text.strip().split("\n")]


def clip(text: str, limit: int | None) -> str:
    """Cut a text to `limit` characters, with an ellipsis."""
    return text if limit is None or len(text) <= limit else text[: max(limit - 1, 0)] + "…"


def encodable(text: str, encoding: str) -> str:
    """Escape characters that the encoding lacks."""
    return text.encode(encoding, "backslashreplace").decode(encoding)


_MARKDOWN_MARKS = re.compile(r"([\\`*_\[\]<>&|~#$^])")
# At the start of a line these begin a list, a heading's underline, a quick action or a definition.
_LINE_STARTS = re.compile(r"^(\d*)([-+=.):/!])")
# What a forge turns into a link or a notice: mentions, addresses, and references to issues, merge requests,
# commits and the like. A forge leaves code alone, so such a word is written as code.
_ACTIVE_WORD = re.compile(
    r"""@ | :// | [#!$&%~^][\w"'] | \*iteration: | \[\w+: | \b[A-Z][A-Z0-9]+-\d"""
    r"""| (?i: \bwww\. | \bgh-\d | \b[0-9a-f]{7,64}\b | \b(?:mailto|xmpp): )""",
    re.VERBOSE,
)
_CODE_SPAN = re.compile(r"(?<![`\\])`([^`\n]+)`(?!`)")
_FENCED = re.compile(
    r"^ {0,3}```+[ \t]*([\w+#.-]*)[^\n`]*\n(.*?)^ {0,3}```+[ \t]*$", re.DOTALL | re.MULTILINE
)


def code_span(text: str) -> str:
    """Return inline code that the text cannot end."""
    shown = visible(text)
    if not shown.strip():
        return "` `"
    fence = "`" * (_longest_run(shown) + 1)
    pad = " " if shown[0] in "` " or shown[-1] in "` " else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def code_block(code: str, language: str = "") -> str:
    """Return a code block whose fence is longer than any run of backticks inside."""
    lines = code_lines(code)
    fence = "`" * max(3, _longest_run(code) + 1)
    opening = fence + re.sub(r"[^\w+#-]", "", language, flags=re.ASCII)
    # A forge may take `/close` at the start of any line as a command. A block that is indented as a whole
    # reads the same, and none of its lines starts with a slash.
    indent = " " if any(line.startswith("/") for line in lines) else ""
    return "\n".join(indent + line for line in (opening, *lines, fence))


def markdown_line(text: str) -> str:
    """Return prose on one line; only its code spans are markdown."""
    return _inert_line(" ".join(text.split()))


def markdown_prose(text: str) -> str:
    """Return prose of several lines; only its code spans and fenced blocks are markdown."""
    pieces: list[str] = []
    end = 0
    for block in _FENCED.finditer(text):
        pieces += [_inert_lines(text[end : block.start()]), code_block(block[2], block[1])]
        end = block.end()
    pieces.append(_inert_lines(text[end:]))
    return "\n\n".join(piece for piece in pieces if piece)


def _inert_lines(text: str) -> str:
    lines = [" ".join(line.split()) for line in text.strip().split("\n")]
    return "\n".join(_inert_line(line) for line in lines).strip()


def _inert_line(line: str) -> str:
    pieces: list[str] = []
    end = 0
    for span in _CODE_SPAN.finditer(line):
        pieces += _inert_words(line[end : span.start()])
        pieces.append(code_span(span[1]))
        end = span.end()
    pieces += _inert_words(line[end:])
    return _LINE_STARTS.sub(r"\1\\\2", _join_apart(pieces))


def _inert_words(text: str) -> list[str]:
    words = re.split(r"(\s+)", visible(text))
    return [code_span(word) if _ACTIVE_WORD.search(word) else _escaped(word) for word in words if word]


def _escaped(word: str) -> str:
    return _MARKDOWN_MARKS.sub(r"\\\1", word)


def _join_apart(pieces: list[str]) -> str:
    """Join; two backticks of different pieces must not meet, or they become one longer run."""
    joined = ""
    for piece in pieces:
        if joined.endswith("`") and piece.startswith("`"):
            joined += " "
        joined += piece
    return joined


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)
