"""Define the exceptions that Affidavit raises on purpose, grouped by who has to fix the cause.

    AffidavitError
    ├── InputError             the user: the requested change cannot be reviewed
    │   ├── NotARepositoryError
    │   ├── UnknownRevisionError
    │   ├── MalformedDiffError     carries the line that is wrong
    │   └── EmptyChangeError
    ├── SettingsError          the user: a setting is wrong, with its place
    ├── OutsideError           the outside world; `retryable` says whether to try again
    │   ├── GitError
    │   ├── AnalyserError
    │   ├── StoreError
    │   └── ForgeError             carries the status that the forge answered with
    └── BudgetError            the budget ran out

A model's nonsense is not an exception: it is a reply, and the contract's parser turns it into diagnostics.
"""


class AffidavitError(Exception):
    """Base of all errors raised on purpose; its text is what the user reads."""


class InputError(AffidavitError):
    """The requested change cannot be reviewed."""


class NotARepositoryError(InputError):
    """The folder is not a git repository."""


class UnknownRevisionError(InputError):
    """A revision does not exist here, or the shallow clone lacks it."""


class MalformedDiffError(InputError):
    """The text is not a well-formed unified diff."""

    def __init__(self, reason: str, line_number: int, line: str = "") -> None:
        self.reason = reason
        self.line_number = line_number
        self.line = line
        shown = f": {line[:120]!r}" if line else ""
        super().__init__(f"line {line_number} of the diff: {reason}{shown}")


class EmptyChangeError(InputError):
    """There is nothing to review."""


class SettingsError(AffidavitError):
    """A setting is wrong."""


class OutsideError(AffidavitError):
    """Something outside this process failed."""

    def __init__(
        self, message: str, *, retryable: bool = False, retry_after_seconds: float | None = None
    ) -> None:
        self.retryable = retryable
        self.retry_after_seconds = retry_after_seconds
        """The requested wait before a retry, if one was given."""
        super().__init__(message)


class GitError(OutsideError):
    """A git command failed."""


class AnalyserError(OutsideError):
    """An analyser is missing, crashed, timed out or printed unreadable output."""


class StoreError(OutsideError):
    """The store cannot be read or written."""


class UnreadableReportError(StoreError):
    """A stored report has changed since it was stored, or is of another version."""


class ForgeError(OutsideError):
    """A forge could not be asked, or refused. `status` is its HTTP status; 0 without an answer."""

    def __init__(
        self,
        message: str,
        *,
        status: int = 0,
        retryable: bool = False,
        retry_after_seconds: float | None = None,
    ) -> None:
        self.status = status
        super().__init__(message, retryable=retryable, retry_after_seconds=retry_after_seconds)


class BudgetError(AffidavitError):
    """The budget of a review ran out."""
