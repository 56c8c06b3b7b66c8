"""Prompts as markdown templates, a folder a version, filled strictly: no value missing, none unused."""

import re
from functools import lru_cache
from importlib.resources import files

from affidavit.contract.versions import CURRENT_PROMPT_VERSION

PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")


@lru_cache(maxsize=64)
def template(name: str, version: str = CURRENT_PROMPT_VERSION) -> str:
    """The text of a template."""
    return files("affidavit.prompts").joinpath(version, f"{name}.md").read_text(encoding="utf-8")


def render_prompt(name: str, /, *, version: str = CURRENT_PROMPT_VERSION, **values: str) -> str:
    """Fill a template in one pass: what stands in a value is never read as a placeholder."""
    text = template(name, version)
    wanted = set(PLACEHOLDER.findall(text))
    if wanted != values.keys():
        missing, unused = sorted(wanted - values.keys()), sorted(values.keys() - wanted)
        raise ValueError(f"prompt {name}: missing {missing}, not used {unused}")
    return PLACEHOLDER.sub(lambda match: values[match[1]], text).strip() + "\n"
