"""Folders of prompts for tests."""

from pathlib import Path

from affidavit.prompts import current_prompts


def copy_prompts(folder: Path) -> Path:
    """Write the built-in templates into a new folder, such as prompts/1.5.0."""
    folder.mkdir(parents=True)
    for name, text in current_prompts().templates.items():
        (folder / f"{name}.md").write_text(text)
    return folder
