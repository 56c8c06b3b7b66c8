"""A changed class is followed to the definitions of what it builds on."""

from collections.abc import Callable, Mapping

import pytest

from affidavit.context.sources import Base, find_bases
from affidavit.git.tree import GitTree
from affidavit.records.context import SymbolChange
from affidavit.symbols.definitions import symbols_of
from affidavit.symbols.import_graph import import_graph

OpenTree = Callable[[Mapping[str, str]], GitTree]


def bases_of(tree: GitTree, path: str) -> list[Base]:
    """The bases of the classes of a file of which every symbol changed."""
    changes = [SymbolChange(fate="touched", head=one) for one in symbols_of(tree, path)]
    return find_bases(changes, import_graph(tree), tree)


BASES = {
    "python": (
        {
            "lib/__init__.py": "from lib.models import Model\n",
            "lib/models.py": "class Model: ...\nclass Meta(type): ...\n",
            "app.py": "import lib\nfrom lib import models\n\n"
            "class User(lib.Model, metaclass=models.Meta): ...\n",
        },
        "app.py",
        {("lib/models.py", "Model"), ("lib/models.py", "Meta")},
    ),
    "typescript": (
        {
            "index.ts": 'export { Model } from "./model";\nexport * from "./named";\n',
            "model.ts": "export class Model<T> {}\n",
            "named.ts": "export interface Named {}\n",
            "user.ts": 'import { Model, Named } from "./index";\n\n'
            "export class User extends Model<string> implements Named {}\n",
        },
        "user.ts",
        {("model.ts", "Model"), ("named.ts", "Named")},
    ),
    "java": (
        {
            "a/User.java": "package a;\nimport b.Named;\nclass User extends Model implements Named {}\n",
            "a/Model.java": "package a;\nclass Model {}\n",
            "b/Named.java": "package b;\npublic interface Named {}\n",
        },
        "a/User.java",
        {("a/Model.java", "Model"), ("b/Named.java", "Named")},
    ),
}


@pytest.mark.parametrize("language", BASES)
def test_a_class_leads_to_the_files_of_its_bases(open_tree: OpenTree, language: str) -> None:
    files, changed, expected = BASES[language]
    found = bases_of(open_tree(files), changed)
    assert {(one.path, one.name) for one in found} == expected
    assert {(one.user, one.heir) for one in found} == {(changed, "User")}


def test_files_that_pass_a_name_round_in_a_circle_lead_nowhere(open_tree: OpenTree) -> None:
    heir = "from a import x\n\n\nclass Heir(x): ...\n"
    tree = open_tree({"a.py": "from b import x\n", "b.py": "from a import x\n", "c.py": heir})
    assert bases_of(tree, "c.py") == []


def test_a_base_of_the_same_file_is_no_other_file(open_tree: OpenTree) -> None:
    tree = open_tree({"a.py": "class A: ...\nclass B(A): ...\n"})
    assert bases_of(tree, "a.py") == []
