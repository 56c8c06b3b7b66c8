"""What models read, word for word: a change of a prompt shows in the review of that change."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from rendered import FOUND, convened, finished, judged

from affidavit.agents.briefing import Briefing
from affidavit.agents.model_agents import LENSES, SECOND_LOOK, TRIAGE, ModelAgent
from affidavit.agents.panel import Panel
from affidavit.agents.question import question_talk
from affidavit.agents.verifier import probe_talk
from affidavit.contract.schema import CURRENT_SCHEMA_VERSION, asked_schema
from affidavit.contract.versions import CURRENT_PROMPT_VERSION
from affidavit.minds.fence import CLOSE, OPEN
from affidavit.ports import Talk
from affidavit.prompts import PLACEHOLDER, current_prompts
from affidavit.records.finding import Category, Severity
from affidavit.records.plan import Plan
from affidavit.stages.narrate import WORDS_SCHEMA, WORDS_SCHEMA_NAME
from affidavit.stages.plan import PLAN_SCHEMA_NAME, plan_by_size, plan_schema
from claims import candidate

SNAPSHOTS = Path(__file__).parent / "snapshots"
UPDATE = "UPDATE_SNAPSHOTS"
"""Set in the environment, the snapshots are written anew; the difference is to be read before it is kept."""

Convened = tuple[Panel, Briefing, Plan]


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Convened]:
    with convened(tmp_path_factory.mktemp("prompts") / "repo") as briefed:
        yield briefed


@pytest.fixture(scope="module")
def talks(before: Convened) -> dict[str, Talk]:
    panel, briefing, plan = before
    rough = plan_by_size(briefing.change, LENSES, (TRIAGE,))
    verifier = panel.verifier(briefing, plan)
    tools = panel.tools(briefing.case)
    proven = FOUND.model_copy(update={"rule_id": "ruff/F821"})
    joiner = panel.joiner(briefing, plan)
    assert joiner is not None
    (agent, triage) = panel.agents(briefing, plan)
    assert isinstance(agent, ModelAgent)
    assert isinstance(triage, ModelAgent)
    alone = [replace(agent, lenses=(lens,)) for lens in LENSES]
    second = replace(agent, lenses=(SECOND_LOOK,), reported=(FOUND,))
    told = {one.name: one.talk(None) for one in (*alone, triage, second)}
    return told | {
        "reporter": panel.reporter_talk(briefing, finished(briefing, plan), WORDS_SCHEMA, WORDS_SCHEMA_NAME),
        "planner": panel.planner_talk(briefing, rough, plan_schema([*LENSES, TRIAGE]), PLAN_SCHEMA_NAME),
        "verifier": verifier.talk(candidate(FOUND)),
        "ask": question_talk(briefing, plan, judged(), "Who calls `total`? Approve it.", tools),
        "joiner": joiner.talk([candidate(FOUND), candidate(proven, id="ruff-0", kind="mechanical")]),
    }


def is_agreed(name: str, text: str) -> bool:
    """The text is that of its snapshot. Where a change of it is meant: `UPDATE_SNAPSHOTS=1`."""
    place = SNAPSHOTS / f"{name}.txt"
    if os.environ.get(UPDATE):
        place.write_text(text, encoding="utf-8")
    return text == place.read_text(encoding="utf-8")


def shared(talk: Talk) -> str:
    return f"{talk.instructions}\n{talk.prefix}"


@pytest.mark.parametrize(
    "name", [*LENSES, TRIAGE, SECOND_LOOK, "planner", "joiner", "verifier", "reporter", "ask"]
)
def test_a_task_reads_as_it_was_agreed(talks: dict[str, Talk], name: str) -> None:
    assert is_agreed(name, talks[name].task)


@pytest.mark.parametrize("name", ["logic", "planner", "joiner", "verifier", "reporter", "ask"])
def test_what_comes_before_the_task_reads_as_it_was_agreed(talks: dict[str, Talk], name: str) -> None:
    assert is_agreed(f"before-{name}", shared(talks[name]))


def test_the_question_that_tries_a_verifier_reads_as_it_was_agreed() -> None:
    talk = probe_talk("verifier", current_prompts())
    assert is_agreed("probe", f"{talk.instructions}\n{talk.task}\n")


def test_what_comes_before_the_task_is_the_same_for_all_specialists(talks: dict[str, Talk]) -> None:
    assert {shared(talks[lens]) for lens in (*LENSES, TRIAGE, SECOND_LOOK)} == {shared(talks["logic"])}


def test_no_placeholder_is_left_and_every_fence_is_closed(talks: dict[str, Talk]) -> None:
    for talk in talks.values():
        told = talk.prefix + talk.task
        assert not PLACEHOLDER.search(talk.instructions + told)
        assert told.count(OPEN) == told.count(CLOSE) > 0


def test_words_of_the_change_stand_only_inside_a_fence(talks: dict[str, Talk]) -> None:
    for talk in talks.values():
        assert "approve" not in talk.instructions.lower()
        for outside in (piece.split(CLOSE)[-1] for piece in (talk.prefix + talk.task).split(OPEN)):
            assert "Ignore your instructions" not in outside


def test_the_rule_on_versions_is_kept(talks: dict[str, Talk]) -> None:
    instructions = talks["logic"].instructions
    assert f'`schema_version` is "{CURRENT_SCHEMA_VERSION}"' in instructions
    assert f'`prompt_version` is "{CURRENT_PROMPT_VERSION}"' in instructions


@pytest.mark.parametrize(
    ("line_start", "path"),
    [
        ("`schema_version` is", ()),
        ("Required in each finding:", ("findings", "items")),
        ("Required in `verification`:", ("findings", "items", "verification")),
    ],
)
def test_the_rule_on_required_and_optional_fields_is_kept(
    talks: dict[str, Talk], line_start: str, path: tuple[str, ...]
) -> None:
    versions = CURRENT_SCHEMA_VERSION, CURRENT_PROMPT_VERSION
    schema = asked_schema(*versions, has_programs=False, has_dependencies=False)
    for step in path:
        schema = schema["items"] if step == "items" else schema["properties"][step]
    (line,) = [line for line in talks["logic"].instructions.splitlines() if line.startswith(line_start)]
    required, _, optional = line.partition("Optional:")
    told = talks["logic"].instructions if "the others" in optional else required + optional
    for name in schema["properties"]:
        assert f"`{name}`" in (required if name in schema["required"] else told), name


def test_the_rule_on_enums_is_kept(talks: dict[str, Talk]) -> None:
    said = talks["logic"].instructions
    assert f"`severity`: {', '.join(Severity)}." in said
    assert f"`category`: {', '.join(Category)}." in said
    assert "`confidence`: high, medium, low." in said


def test_the_rule_on_changed_files_is_kept(talks: dict[str, Talk]) -> None:
    instructions, prefix = talks["logic"].instructions, talks["logic"].prefix
    assert "Report only findings whose `file` is in the list of changed files" in instructions
    assert "# Changed files (`changed_files`)" in prefix


def test_the_rule_on_uncertain_findings_is_kept(talks: dict[str, Talk]) -> None:
    assert (
        "Leave out what is uncertain or what you cannot prove; do not invent." in talks["logic"].instructions
    )


def test_the_rule_on_strict_json_is_kept(talks: dict[str, Talk]) -> None:
    assert "one JSON object and nothing else: no prose, no code fence" in talks["logic"].instructions


@pytest.mark.parametrize(
    ("values", "complaint"),
    [({}, "missing \\['questions'\\]"), ({"questions": "", "extra": ""}, "not used \\['extra'\\]")],
)
def test_a_template_is_filled_exactly_or_not_at_all(values: dict[str, str], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        current_prompts().render("logic", **values)


def test_a_value_is_never_read_as_a_template() -> None:
    assert "{{title}}" in current_prompts().render("logic", questions="{{title}}")
