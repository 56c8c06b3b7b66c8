"""Redact the files of a pair of trees: the same secret has the same marker everywhere in a review."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from affidavit.git.objects import ObjectStore
from affidavit.redaction.linear import once
from affidavit.redaction.spans import Ranges, SecretNumbers, Span
from affidavit.redaction.text import find_secrets, hide, redact_file, values_of

TextsIn = Callable[[str, bytes], Ranges | None]
"""Return where the code of a file has strings and comments; None where all of it counts as text."""
Changed = Callable[[], Iterable[tuple[str, str]]]
"""Return paths and blobs, in the order in which their secrets are numbered."""


def _all_text(_path: str, _data: bytes) -> None:
    return None


class Secrets:
    """The secrets of a pair of trees, numbered in the files that differ: those of base first, then of head.

    Any other file counts on behind them, so its markers depend on nothing that was read before.
    """

    def __init__(self, store: ObjectStore, changed: Changed = tuple, texts_in: TextsIn = _all_text) -> None:
        self._store = store
        self._changed = changed
        self._texts_in = texts_in
        self._spans: dict[str, Sequence[Span]] = {}
        self.numbers = once(self._numbered)
        """The numbers of the files that differ, which are read on first use."""

    def spans(self, blob: str, data: bytes) -> Sequence[Span]:
        """Return what may be secret in a blob, which is searched once."""
        if blob not in self._spans:
            self._spans[blob] = tuple(find_secrets(data))
        return self._spans[blob]

    def redact(self, path: str, blob: str, data: bytes) -> bytes:
        spans = self.spans(blob, data)
        return self._redact(path, data, spans, self.numbers().continued()) if spans else data

    def values(self, path: str, blob: str, data: bytes) -> dict[str, str]:
        """Return the secrets of a file that others could repeat, with their markers."""
        spans = self.spans(blob, data)
        if not spans:
            return {}
        return values_of(data, hide(data, spans, self.numbers().continued(), self._texts_in(path, data)))

    def redact_versions(self, path: str, *versions: bytes) -> list[bytes]:
        """Redact contents that a file had at other times, with the same numbers in all of them."""
        numbers = self.numbers().continued()
        return [self._redact(path, data, find_secrets(data), numbers) for data in versions]

    def _redact(self, path: str, data: bytes, spans: Sequence[Span], numbers: SecretNumbers) -> bytes:
        return redact_file(data, spans, numbers, partial(self._texts_in, path))

    def _numbered(self) -> SecretNumbers:
        """Number the secrets of the files that differ."""
        numbers = SecretNumbers()
        for path, blob in self._changed():
            if self._spans.get(blob) != () and (data := self._store.read(blob)) is not None:
                self._redact(path, data, self.spans(blob, data), numbers)
        return numbers
