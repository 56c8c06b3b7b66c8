"""A command that people are advised to run is short enough to be read."""

from affidavit.analysers.go_vet import GO_VET, invoke_go
from affidavit.analysers.kingfisher import KINGFISHER, invoke_kingfisher
from affidavit.analysers.wording import LONGEST, shortened
from python_changes import Open


def test_hundreds_of_rules_are_one_word_of_the_command(case: Open) -> None:
    base = case({"a": "1\n"}, {"a": "2\n"}).repository.base
    command = (KINGFISHER.executable, *invoke_kingfisher(base, []).arguments)
    text = shortened(command)
    assert len(text) <= LONGEST + 2
    assert text.startswith("kingfisher scan ")
    assert text.count("--rule=") <= 1


def test_an_option_that_is_given_often_is_counted() -> None:
    command = ["tool", "check", *(f"--rule={number}" for number in range(280)), "--quiet", "."]
    assert shortened(command) == "tool check --rule=… (280 times) --quiet ."


def test_a_short_command_stays_as_it_is() -> None:
    assert shortened(["tool", "-v", "--a=1", "--a=2", "x", "x"]) == "tool -v --a=1 --a=2 x x"


def test_a_folder_that_is_named_like_the_program_is_kept(case: Open) -> None:
    base = case({"a": "1\n"}, {"a": "2\n"}).repository.base
    command = (GO_VET.executable, *invoke_go(base, ["go/go.mod", "go/main.go"]).arguments)
    assert shortened(command) == "go vet -C go -json"


def test_many_files_are_cut_between_words() -> None:
    text = shortened(["tool", *(f"./folder/file{number}.yml" for number in range(100))])
    assert text.endswith(".yml …")
    assert len(text) <= LONGEST + 2
