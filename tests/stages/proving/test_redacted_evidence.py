"""A model sees a file without its secrets: its quote still counts, and the secret is written down nowhere."""

from collections.abc import Iterator

import pytest

from affidavit.git.repository import GitRepository
from affidavit.proof.quotes import check_quote
from affidavit.records.candidate import Candidate
from affidavit.records.docket import Docket
from affidavit.records.finding import Finding
from affidavit.records.plan import Plan
from affidavit.redaction.text import Redactor
from affidavit.stages.evidence import locate_quotes, run_searches
from claims import candidate, case_of, change_of, finding, opened
from repositories import Repo

AWS = "AKIA" + "IOSFODNN7QX3MPLE"
TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
PASSWORD = "fJ8#kq2Lz9!mW4x"
BODY = "MIIEpAIBAAKCAQEA3Tz2mr7SZiAMfQyuvBjM9OiJjRazXBZ1BjP5CE/Wm/Rr500P"
SETTINGS = f"""import os

KEY = "{AWS}"
TOKEN = "{TOKEN}"
DATABASE = "postgres://app:{PASSWORD}@db.example.org/app"
REGION = os.environ["REGION"]
PEM = \"\"\"-----BEGIN RSA PRIVATE {"KEY"}-----
{BODY}
{BODY[::-1]}
-----END RSA PRIVATE {"KEY"}-----\"\"\"
"""
SECRETS = (AWS, TOKEN, PASSWORD, BODY, BODY[::-1])


@pytest.fixture
def repository(repo: Repo) -> Iterator[GitRepository]:
    with opened(repo, {"app.py": "x = 1\n"}, {"app.py": SETTINGS}) as repository:
        yield repository


def quoted(code: str, lines: tuple[int, int], **fields: object) -> Finding:
    claim = {"code_examined": code, "line_range_examined": lines}
    return finding(claim, title="A key stands in the code", line=lines[0], **fields)


def seen(first: int, last: int) -> str:
    """Those lines as a model is shown them, with numbers and after others of the same talk."""
    redactor = Redactor()
    redactor.redact('token = "xoxb-' + '1234567890-abcdef"')
    text = "\n".join(f"{number}: {line}" for number, line in enumerate(SETTINGS.split("\n"), start=1))
    return "\n".join(redactor.redact(text).split("\n")[first - 1 : last])


def checked(claim: Finding, repository: GitRepository, kind: str = "model") -> Candidate:
    case = case_of(change_of("app.py"), repository, plan=Plan())
    docket = locate_quotes(Docket(candidates=(candidate(claim, kind=kind),)), case)
    return run_searches(docket, case).candidates[0]


@pytest.mark.parametrize("span", [(3, 3), (4, 4), (5, 5), (3, 5), (3, 6), (7, 10), (8, 9)])
def test_a_quote_of_redacted_lines_is_found_where_they_stand(
    repository: GitRepository, span: tuple[int, int]
) -> None:
    quote, _ = check_quote(quoted(seen(*span), span), repository)
    assert (quote.outcome, quote.start, quote.end) == ("exact", *span)


def test_the_secret_is_in_nothing_that_is_kept_of_the_finding(repository: GitRepository) -> None:
    itself = "\n".join(SETTINGS.split("\n")[2:10])
    for kind, code in (("model", seen(3, 10)), ("mechanical", itself)):
        kept = checked(quoted(code, (3, 10)), repository, kind=kind)
        assert kept.withheld is None
        assert kept.quote is not None
        assert "REDACTED_token_1" in kept.quote.code
        assert not [secret for secret in SECRETS if secret in kept.model_dump_json()]


@pytest.mark.parametrize(
    "guess", [f'TOKEN = "{TOKEN}"', f'TOKEN = "{TOKEN[:12]}', f"app:{PASSWORD[:4]}", BODY[:9]]
)
def test_a_model_s_guess_at_a_secret_is_no_quote_even_if_it_is_right(
    repository: GitRepository, guess: str
) -> None:
    kept = checked(quoted(guess, (4, 4)), repository)
    assert kept.withheld is not None
    assert kept.withheld.code == "evidence_not_found"


@pytest.mark.parametrize("pattern", [TOKEN[:9], 'TOKEN = "ghp_.[0-9]', "MIIEpAIB", r"app:f\w"])
def test_a_search_of_a_model_never_meets_a_secret(repository: GitRepository, pattern: str) -> None:
    absence = {"is_absence_finding": True, "searches": [{"pattern": pattern, "paths": [], "side": "head"}]}
    claim = finding({"code_examined": "import os", "line_range_examined": (1, 1), **absence}, line=1)
    assert checked(claim, repository).searches[0].state == "nothing_found"


def test_a_search_that_hits_a_secret_does_not_write_it_down(repository: GitRepository) -> None:
    absence = {"is_absence_finding": True, "searches": [{"pattern": "DATABASE", "paths": [], "side": "head"}]}
    claim = finding({"code_examined": "import os", "line_range_examined": (1, 1), **absence}, line=1)
    kept = checked(claim, repository)
    assert kept.searches[0].hits[0].line == 5
    assert PASSWORD not in kept.model_dump_json()


@pytest.mark.parametrize(
    "code",
    [
        'KEY = "REDACTED_password_0"',
        'KEY = "REDACTED_token_0" + OTHER',
        'REGION = "REDACTED_token_0"',
        'OTHER = "REDACTED_token_0"',
    ],
)
def test_a_marker_is_no_wildcard(repository: GitRepository, code: str) -> None:
    quote, _ = check_quote(quoted(code, (3, 3)), repository)
    assert quote.outcome == "not_found"


def test_code_that_holds_a_marker_itself_is_quoted_as_it_stands(repo: Repo) -> None:
    line = 'SHOWN = "REDACTED_token_0"'
    with opened(repo, {"app.py": "x = 1\n"}, {"app.py": f"import os\n{line}\n"}) as repository:
        quote, _ = check_quote(quoted(line, (2, 2)), repository)
    assert (quote.outcome, quote.start) == ("exact", 2)


def test_a_redacted_quote_is_proven_again_by_a_recheck(
    repository: GitRepository,
) -> None:
    kept = checked(quoted(seen(3, 4), (3, 4)), repository)
    assert kept.quote is not None
    again, _ = check_quote(kept.finding or finding(), repository)
    assert (again.outcome, again.start, again.end) == ("exact", 3, 4)
