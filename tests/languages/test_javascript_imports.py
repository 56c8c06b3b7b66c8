"""JavaScript and TypeScript imports, on small repositories."""

import json

import pytest

from import_edges import Graph, taken, targets


def test_every_form_of_import_names_what_it_takes(graph: Graph) -> None:
    found = graph(
        {
            "a.js": "",
            "main.js": """\
import './a.js';
import one from './a';
import two, { three as drei, four } from "./a";
import * as all from './a';
export { five, six as sechs } from './a';
export * from './a';
export * as ns from './a';
const { seven, eight: acht } = require('./a');
const whole = require(`./a`);
function later() { return import('./a'); }
if (x) { require('./a'); }
""",
        }
    )
    assert taken(found, "main.js") == [
        ("./a.js", "a.js", ()),
        ("./a", "a.js", ("default",)),
        ("./a", "a.js", ("default", "three", "four")),
        ("./a", "a.js", ("*",)),
        ("./a", "a.js", ("five", "six")),
        ("./a", "a.js", ("*",)),
        ("./a", "a.js", ("*",)),
        ("./a", "a.js", ("seven", "eight")),
        ("./a", "a.js", ()),
        ("./a", "a.js", ()),
        ("./a", "a.js", ()),
    ]


def test_what_is_no_import_is_not_taken_for_one(graph: Graph) -> None:
    text = "/*\nimport x from './a';\n*/\nconst t = `\nimport './a';\n`;\n"
    text += "import(`./${x}`); require(x); obj.require('./a');\n"
    assert graph({"a.js": "", "main.js": text}).imports_of("main.js") == ()


@pytest.mark.parametrize(
    ("written", "file"),
    [
        ("./a", "src/a.ts"),
        ("./a.js", "src/a.ts"),
        ("./view.jsx", "src/view.tsx"),
        ("./view.js", "src/view.tsx"),
        ("./worker.mjs", "src/worker.mts"),
        ("./folder", "src/folder/index.tsx"),
        ("./folder/", "src/folder/index.tsx"),
        (".", "src/index.ts"),
        ("..", "index.js"),
        ("./style.css", "src/style.css"),
        ("./icon.svg?url", "src/icon.svg"),
        ("./types", "src/types.d.ts"),
        ("../../outside", None),
        ("./missing", None),
        ("/etc/passwd", None),
        ("https://example.org/x.js", None),
        ("node:fs", None),
        ("react", None),
        ("", None),
    ],
)
def test_a_path_means_the_file_that_tools_take_it_for(graph: Graph, written: str, file: str | None) -> None:
    names = (
        "a.ts",
        "view.tsx",
        "worker.mts",
        "folder/index.tsx",
        "index.ts",
        "style.css",
        "icon.svg",
        "types.d.ts",
    )
    files = {f"src/{name}": "" for name in names}
    found = graph({**files, "index.js": "", "src/main.ts": f"import x from '{written}';\n"})
    assert targets(found, "src/main.ts") == [file]


def test_typescript_forms_are_read(graph: Graph) -> None:
    text = "import type { T } from './a';\nimport old = require('./a');\nexport type { U } from './a';\n"
    text += "type V = import('./a').V;\n"
    found = graph({"a.ts": "", "main.ts": text})
    assert [(each.line, each.names) for each in found.imports_of("main.ts")] == [
        (1, ("T",)),
        (2, ()),
        (3, ("U",)),
        (4, ()),
    ]


def test_paths_and_base_url_come_from_the_nearest_configuration_and_what_it_extends(graph: Graph) -> None:
    found = graph(
        {
            "tsconfig.base.json": """{
  // shared, with "comments" // and more
  "compilerOptions": {
    "baseUrl": ".", /* the root */
    "paths": {
      "@lib/*": ["libs/*/src", "libs/*"],
      "exact": ["./libs/exact.ts"],
      "https://*": ["no"],
    },
  },
}""",
            "app/tsconfig.json": '{"extends": "../tsconfig.base.json"}',
            "libs/one/src/index.ts": "",
            "libs/two.ts": "",
            "libs/exact.ts": "",
            "app/main.ts": "import '@lib/one';\nimport '@lib/two';\nimport 'exact';\n"
            "import 'libs/two';\nimport '@lib/three';\n",
        }
    )
    assert targets(found, "app/main.ts") == [
        "libs/one/src/index.ts",
        "libs/two.ts",
        "libs/exact.ts",
        "libs/two.ts",
        None,
    ]


PATHS = '{"compilerOptions": {"paths": {"@a/*": ["%s"]}}}'


@pytest.mark.parametrize("extends", ['"../config/wide"', '["../config/wide.json", "../config/plain.json"]'])
def test_an_extended_configuration_may_have_any_name(graph: Graph, extends: str) -> None:
    found = graph(
        {
            "config/wide.json": PATHS % "../lib/*",
            "config/plain.json": '{"compilerOptions": {"strict": true}}',
            "app/tsconfig.json": f'{{"extends": {extends}}}',
            "app/main.ts": "import { one } from '@a/one';",
            "lib/one.ts": "",
        }
    )
    assert targets(found, "app/main.ts") == ["lib/one.ts"]


@pytest.mark.parametrize("extends", ["@acme/configs/web.json", "@acme/configs/web"])
def test_a_configuration_of_a_package_of_the_same_repository_is_extended(graph: Graph, extends: str) -> None:
    found = graph(
        {
            "tools/configs/package.json": '{"name": "@acme/configs"}',
            "tools/configs/web.json": PATHS % "${configDir}/src/*",
            "app/tsconfig.json": f'{{"extends": "{extends}"}}',
            "app/main.ts": "import { one } from '@a/one';",
            "app/src/one.ts": "",
        }
    )
    assert targets(found, "app/main.ts") == ["app/src/one.ts"]


def test_of_several_extended_configurations_the_last_one_and_all_that_it_extends_win(graph: Graph) -> None:
    found = graph(
        {
            "first.json": PATHS % "./first/*",
            "second.json": '{"extends": "./third.json"}',
            "third.json": PATHS % "./third/*",
            "tsconfig.json": '{"extends": ["./first.json", "./second.json"]}',
            "main.ts": "import { one } from '@a/one';",
            "first/one.ts": "",
            "third/one.ts": "",
        }
    )
    assert targets(found, "main.ts") == ["third/one.ts"]


def test_paths_are_seen_from_a_base_url_that_an_extended_configuration_sets(graph: Graph) -> None:
    found = graph(
        {
            "tsconfig.base.json": '{"compilerOptions": {"baseUrl": "."}}',
            "app/tsconfig.json": '{"extends": "../tsconfig.base.json", ' + (PATHS % "lib/*")[1:],
            "app/main.ts": "import { one } from '@a/one';",
            "lib/one.ts": "",
            "app/lib/one.ts": "",
        }
    )
    assert targets(found, "app/main.ts") == ["lib/one.ts"]


def test_a_solution_file_has_its_rules_in_the_projects_that_it_lists(graph: Graph) -> None:
    found = graph(
        {
            "tsconfig.json": '{"files": [], "references": [{"path": "./tsconfig.app.json"}]}',
            "tsconfig.app.json": '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}',
            "src/a.ts": "",
            "src/main.ts": "import '@/a';",
        }
    )
    assert targets(found, "src/main.ts") == ["src/a.ts"]


def test_configurations_that_extend_each_other_in_a_ring_are_read_once(graph: Graph) -> None:
    found = graph(
        {
            "tsconfig.json": '{"extends": "./tsconfig.other.json"}',
            "tsconfig.other.json": '{"extends": ["./tsconfig.json"], "compilerOptions": {"baseUrl": "src"}}',
            "src/a.ts": "",
            "main.ts": "import 'a';",
        }
    )
    assert targets(found, "main.ts") == ["src/a.ts"]


@pytest.mark.parametrize(
    "broken",
    ["", "[]", "{", '{"compilerOptions": 1}', '{"compilerOptions": {"paths": {"a": [1]}}}', "[" * 100_000],
)
def test_a_broken_configuration_says_nothing(graph: Graph, broken: str) -> None:
    found = graph(
        {"tsconfig.json": broken, "package.json": broken, "a.ts": "", "main.ts": "import './a'; import 'b';"}
    )
    assert targets(found, "main.ts") == ["a.ts", None]


def test_packages_of_the_same_repository_are_found_by_name(graph: Graph) -> None:
    found = graph(
        {
            "package.json": json.dumps({"workspaces": ["packages/*"]}),
            "packages/core/package.json": json.dumps({"name": "@org/core", "main": "dist/index.js"}),
            "packages/core/src/index.ts": "",
            "packages/core/src/features/login.ts": "",
            "packages/old/package.json": json.dumps({"name": "old", "main": "lib/main.js"}),
            "packages/old/lib/main.js": "",
            "packages/old/extra.js": "",
            "packages/plain/package.json": json.dumps({"name": "plain"}),
            "packages/plain/index.js": "",
            "packages/app/main.ts": """\
import '@org/core';
import '@org/core/features/login';
import 'old';
import 'old/extra';
import 'plain';
import '@org/core/hidden';
import '@org/missing';
""",
        }
    )
    assert targets(found, "packages/app/main.ts") == [
        "packages/core/src/index.ts",
        "packages/core/src/features/login.ts",
        "packages/old/lib/main.js",
        "packages/old/extra.js",
        "packages/plain/index.js",
        None,
        None,
    ]


def test_committed_modules_are_found(graph: Graph) -> None:
    found = graph(
        {
            "node_modules/dep/package.json": json.dumps({"name": "dep", "main": "main.js"}),
            "node_modules/dep/main.js": "",
            "src/main.js": "import 'dep';",
        }
    )
    assert targets(found, "src/main.js") == ["node_modules/dep/main.js"]


def test_imports_after_a_syntax_error_are_still_found(graph: Graph) -> None:
    found = graph({"a.js": "", "main.js": "import './a';\nconst = = 5;\nimport x from './a';\n"})
    assert targets(found, "main.js") == ["a.js", "a.js"]


def test_a_head_that_ends_inside_of_a_comment_is_not_believed(graph: Graph) -> None:
    text = "import './a';\n/*\nimport './b';\n*/\n" + "let x = 1;\n" * 100
    assert targets(graph({"a.js": "", "b.js": "", "main.js": text}), "main.js") == ["a.js"]
