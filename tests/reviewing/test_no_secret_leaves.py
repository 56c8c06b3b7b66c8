"""`affidavit review --what-leaves` on secrets in every form, in files, names and words: none leaves."""

import json
from pathlib import Path

from commands import affidavit
from repositories import Repo
from secret_corpus import ALNUM, Draw, corpus


def test_no_secret_leaves_in_any_form(repo: Repo, tmp_path: Path) -> None:
    (before, old), (after, new) = corpus(21), corpus(22)
    draw = Draw(23)
    token = draw.of(ALNUM, 36, "ghp_")
    repo.commit("base", {**before, "AGENTS.md": f"Log in with {token}.\n"})
    repo.git("switch", "-qc", f"use-{token}")
    repo.commit(
        f"Use {token}\n\nThe password is {draw.password()} for now.",
        {
            **after,
            f"keys/{token}.txt": "a\n",
            "src/bad.py": f"import os\nif os.sep is '{token}':\n    pass\n",
        },
    )
    said = [{"body": f"Is {draw.of(ALNUM, 36, 'npm_')} real?", "author": f"a-{token}", "file": "src/app.py"}]
    tmp_path.joinpath("said.json").write_text(json.dumps(said))
    done = affidavit(
        *("review", "HEAD", "--what-leaves", "--model", "openai:gpt-4o", "--analysers-off", "ty"),
        *("--title", f"Rotate {token}", "--description", f"api_key: {draw.of(ALNUM, 32)}"),
        *("--discussion", tmp_path / "said.json"),
        cwd=repo.path,
    )
    assert (done.code, done.err) == (0, "")
    assert all(f"=== {path} [modified" in done.out for path in after)
    assert done.out.count("REDACTED_") > 250
    secrets = {**{f"old {form}": drawn for form, drawn in old.items()}, **new, "words": draw.take()}
    left = {form: one for form, drawn in secrets.items() for one in drawn if one in done.out}
    assert left == {}
    assert sum(map(len, secrets.values())) > 250
