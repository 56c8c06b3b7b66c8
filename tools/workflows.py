"""Write the jobs that callers name, for GitHub and GitLab, from the templates of `affidavit init`."""

from pathlib import Path

from affidavit.forges.workflows.writing import CALLED, called

ROOT = Path(__file__).resolve().parent.parent

if __name__ == "__main__":
    for kind, path in CALLED.items():
        place = ROOT / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(called(kind), "utf-8")
