"""ShellCheck: scripts that fail or destroy are found, matters of taste are not."""

import pytest

from affidavit.analysers.shellcheck import SHELLCHECK, disabled_codes

PLANTED = """\
#!/bin/bash
dir=$1
rm -rf "$dir/"*
if [ "$dir" > "$2" ]; then echo yes; fi
name = "x"
sudo echo 1 > /etc/motd
for file in "$(ls)"; do echo "$file"; done
"""
HARMLESS = """\
#!/bin/bash
set -eu
dir=$1
rm -rf "${dir:?}/"*
echo $dir $UNSET_ELSEWHERE
ls *.txt | grep x
if [[ $dir > $2 ]]; then echo yes; fi
eval "$(ssh-agent)"
cat file | while read line; do echo $line; done
"""


def test_planted_faults_are_found(case, ask):
    found = ask(SHELLCHECK, case({"a.sh": ""}, {"a.sh": PLANTED}))
    assert {(finding["rule_id"], finding["line"], finding["severity"]) for finding in found} == {
        ("shellcheck/SC2115", 3, "high"),
        ("shellcheck/SC2073", 4, "high"),
        ("shellcheck/SC2283", 5, "high"),
        ("shellcheck/SC2024", 6, "medium"),
        ("shellcheck/SC2066", 7, "medium"),
    }
    assert '`"${variable:?}"`' in next(f for f in found if f["line"] == 3)["suggestion"]


def test_matters_of_taste_draw_nothing(case, ask):
    assert ask(SHELLCHECK, case({"a.sh": ""}, {"a.sh": HARMLESS})) == []


def test_a_script_that_does_not_parse_is_high(case, ask):
    found = ask(SHELLCHECK, case({"a.sh": ""}, {"a.sh": "#!/bin/sh\nif true; then\n  echo 1\n"}))
    assert [(finding["rule_id"], finding["severity"]) for finding in found] == [("shellcheck/SC1072", "high")]


def test_a_template_and_another_shell_draw_nothing(case, ask):
    files = {
        "a.sh": "#!/bin/sh\n{% if x %}\nif true; then\n{% endif %}\n",
        "b.sh": "#!/bin/zsh\nprint -l ${(k)x}\n",
    }
    assert ask(SHELLCHECK, case({"a.sh": "", "b.sh": ""}, files)) == []


def test_only_the_base_commits_configuration_counts(case, ask):
    base = case({"a.sh": "", ".shellcheckrc": "# ours\ndisable=SC2115,SC2073\n"}, {"a.sh": PLANTED})
    assert disabled_codes(base.repository.base) == {"SC2115", "SC2073"}
    assert {finding["line"] for finding in ask(SHELLCHECK, base)} == {5, 6, 7}
    after = {"a.sh": PLANTED, ".shellcheckrc": "disable=all\nexternal-sources=true\nsource-path=/\n"}
    assert len(ask(SHELLCHECK, case({"a.sh": "", ".shellcheckrc": None}, after))) == 5


def test_a_file_named_like_an_option_is_a_file(case, ask):
    found = ask(SHELLCHECK, case({"x": ""}, {"--format=tty.sh": PLANTED, "-x.sh": PLANTED}))
    assert {finding["file"] for finding in found} == {"--format=tty.sh", "-x.sh"}


def test_a_script_does_not_pull_in_other_files(case, ask):
    text = "#!/bin/sh\n# shellcheck source=/etc/passwd\n. /etc/passwd\n"
    assert ask(SHELLCHECK, case({"a.sh": ""}, {"a.sh": text})) == []


ZSH = 'zstyle -s ":x" mode mode\nfor plugin ($plugins); do\n  echo "$plugin"\ndone\n'


def test_a_script_for_zsh_draws_nothing(case, ask):
    # ohmyzsh/ohmyzsh 830a5bcfd29f, oh-my-zsh.sh:159.
    files = {"oh-my-zsh.sh": ZSH, "tools/zsh/more.sh": "for a ($b); do\n  echo\ndone\n"}
    assert ask(SHELLCHECK, case({"x": ""}, files)) == []


def test_a_script_that_names_its_shell_is_held_to_it(case, ask):
    assert len(ask(SHELLCHECK, case({"x": ""}, {"init.sh": "#!/bin/sh\n" + ZSH}))) == 1


def test_an_item_of_a_loop_is_not_empty(case, ask):
    text = '#!/bin/sh\nfor version; do\n\trm -rf "$version/"\n\trm -rf "$other/"\ndone\n'
    found = ask(SHELLCHECK, case({"x": ""}, {"a.sh": text}))
    assert [(finding["rule_id"], finding["line"]) for finding in found] == [("shellcheck/SC2115", 4)]


def test_patterns_of_one_branch_may_overlap(case, ask):
    # ohmyzsh/ohmyzsh a79b37b95461, plugins/gitfast/git-prompt.sh:499.
    text = '#!/bin/sh\ncase "$1" in\n*-t*|*--tty*) echo t ;;\n*.tar*) echo a ;;\n*.tar.gz) echo b ;;\nesac\n'
    found = ask(SHELLCHECK, case({"x": ""}, {"a.sh": text}))
    assert [(finding["rule_id"], finding["line"]) for finding in found] == [("shellcheck/SC2222", 5)]


@pytest.mark.parametrize(
    "script",
    ["cd $dir\nrm -rf *\n", 'cd "$dir"; rm -rf build\n', "cd $dir\nmake\nsudo rm -r ./out\n"],
)
def test_a_deletion_after_a_cd_that_may_fail_is_found(script, case, ask):
    (found,) = ask(SHELLCHECK, case({"x": ""}, {"a.sh": f"#!/bin/sh\ndir=$1\n{script}"}))
    assert (found["rule_id"], found["severity"], found["line"]) == ("shellcheck/SC2164", "medium", 3)


@pytest.mark.parametrize(
    "script",
    [
        "cd $dir\nmake\n",
        "cd $dir || exit\nrm -rf build\n",
        "cd $dir && rm -rf build\n",
        'cd $dir\nrm -rf /tmp/build "$other"\n',
        "cd $dir\nmake\ncd /srv || exit\nrm -rf build\n",
        "set -e\ncd $dir\nrm -rf build\n",
    ],
)
def test_a_cd_before_no_deletion_draws_nothing(script, case, ask):
    assert ask(SHELLCHECK, case({"x": ""}, {"a.sh": f"#!/bin/sh\ndir=$1\n{script}"})) == []


def test_a_script_from_plain_http_is_found_where_it_is_run(case, ask):
    text = "#!/bin/sh\n# curl http://a.example | sh\necho hi\nbash <(curl -s http://a.example/i.sh)\n"
    (found,) = ask(SHELLCHECK, case({"x": ""}, {"a.sh": text.replace("/bin/sh", "/bin/bash")}))
    assert (found["rule_id"], found["line"]) == ("shellcheck/unencrypted-script", 4)
