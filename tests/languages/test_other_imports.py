"""Imports of Go, Java, Rust, C, C++, Ruby, PHP and C#, on small repositories."""

import json

from import_edges import Graph, taken, targets


def test_a_go_import_means_the_files_of_the_package_without_its_tests(graph: Graph) -> None:
    found = graph(
        {
            "go.mod": "// the app\nmodule example.org/app // main\n\ngo 1.22\n",
            "store/a.go": "package store\n",
            "store/b.go": "package store\n",
            "store/a_test.go": "package store\n",
            "main.go": 'package main\n\nimport "fmt"\n'
            'import (\n\ts "example.org/app/store"\n\t_ `example.org/app`\n)\n\nfunc main() {}\n',
        }
    )
    assert taken(found, "main.go") == [
        ("fmt", None, ()),
        ("example.org/app/store", "store/a.go", ()),
        ("example.org/app/store", "store/b.go", ()),
    ]
    assert [each.path for each in found.importers_of("store/b.go")] == ["main.go"]


def test_go_modules_nest_and_replace_each_other(graph: Graph) -> None:
    found = graph(
        {
            "go.mod": "module example.org/app\nreplace (\n\texample.org/lib v1.0.0 => ./third/lib\n)\n",
            "tools/go.mod": "module example.org/app/tools\n",
            "tools/gen/gen.go": "package gen\n",
            "third/lib/lib.go": "package lib\n",
            "vendor/other.org/x/x.go": "package x\n",
            "main.go": 'package main\nimport (\n"example.org/app/tools/gen"\n"example.org/lib"\n'
            '"other.org/x"\n"example.org/application"\n)\n',
        }
    )
    assert targets(found, "main.go") == [
        "tools/gen/gen.go",
        "third/lib/lib.go",
        "vendor/other.org/x/x.go",
        None,
    ]


def test_java_types_nested_types_members_and_packages_are_found(graph: Graph) -> None:
    found = graph(
        {
            "core/src/main/java/org/a/One.java": "package org.a;\nclass One { static class In {} }\n",
            "core/src/main/java/org/a/Two.java": "package org.a;\nclass Two {}\n",
            "app/src/main/java/org/b/Main.java": """\
/* import org.a.Two; */
package org.b;

import org.a.One;
import org.a.One.In;
import static org.a.One.make;
import static org.a.One.*;
import org.a.*;
import java.util.List;

class Main { String s = "import org.a.Two;"; }
""",
        }
    )
    one, two = "core/src/main/java/org/a/One.java", "core/src/main/java/org/a/Two.java"
    assert taken(found, "app/src/main/java/org/b/Main.java") == [
        ("org.a.One", one, ()),
        ("org.a.One.In", one, ()),
        ("org.a.One", one, ("make",)),
        ("org.a.One", one, ("*",)),
        ("org.a", one, ("*",)),
        ("org.a", two, ("*",)),
        ("java.util.List", None, ()),
    ]


def test_rust_modules_are_files_beside_or_below_their_parent(graph: Graph) -> None:
    found = graph(
        {
            "Cargo.toml": '[package]\nname = "my-app"\n',
            "src/lib.rs": "mod a;\npub mod b;\nmod inline { use super::a; }\nmod missing;\n"
            "#[cfg(test)]\nmod tests;\n",
            "src/a.rs": "mod deep;\n",
            "src/a/deep.rs": "",
            "src/b/mod.rs": "mod below;\n",
            "src/b/below.rs": "",
            "src/tests.rs": "",
        }
    )
    assert taken(found, "src/lib.rs") == [
        ("a", "src/a.rs", ()),
        ("b", "src/b/mod.rs", ()),
        ("missing", None, ()),
        ("tests", "src/tests.rs", ()),
    ]
    assert targets(found, "src/a.rs") == ["src/a/deep.rs"]
    assert targets(found, "src/b/mod.rs") == ["src/b/below.rs"]


def test_rust_uses_reach_through_crate_self_super_and_other_crates(graph: Graph) -> None:
    found = graph(
        {
            "Cargo.toml": '[workspace]\nmembers = ["app", "core-lib"]\n',
            "app/Cargo.toml": '[package]\nname = "app"\n',
            "app/src/main.rs": "mod net;\nmod util;\nuse net::http;\n",
            "app/src/util.rs": "",
            "app/src/net/mod.rs": "pub mod http;\npub mod tcp;\n",
            "app/src/net/tcp.rs": "",
            "app/src/net/http.rs": """\
use crate::util::{self, Thing as T, other::Deep};
use super::tcp::Socket;
use super::super::util;
use super::{Item, tcp};
use self::inner::X;
use core_lib::errors::*;
use ::serde::de;
""",
            "core-lib/Cargo.toml": '[package]\nname = "core-lib"\n',
            "core-lib/src/lib.rs": "pub mod errors;\n",
            "core-lib/src/errors.rs": "",
            "core-lib/tests/it.rs": "use core_lib::errors;\nmod shared;\n",
            "core-lib/tests/shared/mod.rs": "",
        }
    )
    assert targets(found, "app/src/main.rs") == [
        "app/src/net/mod.rs",
        "app/src/util.rs",
        "app/src/net/http.rs",
    ]
    assert taken(found, "app/src/net/http.rs") == [
        ("crate::util", "app/src/util.rs", ("self", "Thing")),
        ("crate::util::other", "app/src/util.rs", ("Deep",)),
        ("super::tcp", "app/src/net/tcp.rs", ("Socket",)),
        ("super::super", "app/src/util.rs", ("util",)),
        ("super", "app/src/net/mod.rs", ("Item",)),
        ("super", "app/src/net/tcp.rs", ("tcp",)),
        ("core_lib::errors", "core-lib/src/errors.rs", ("*",)),
        ("serde", None, ("de",)),
    ]
    assert targets(found, "core-lib/tests/it.rs") == [
        "core-lib/src/errors.rs",
        "core-lib/tests/shared/mod.rs",
    ]


def test_includes_are_looked_for_beside_the_file_and_in_folders_of_headers(graph: Graph) -> None:
    found = graph(
        {
            "include/proj/api.h": "#ifndef A\n#define A\n#include <proj/types.hpp>\n#endif\n",
            "include/proj/types.hpp": "",
            "src/local.h": "",
            "src/deep/unit.h": "",
            "other/place/string.h": "",
            "src/main.cpp": """\
#include "local.h"
#include "../include/proj/api.h"
#include "proj/api.h"
#include <proj/types.hpp>
#include <string.h>
#include "unit.h"
// #include "local.h"
#ifdef WINDOWS
#  include "win.h"
#endif
#include "../../outside.h"
const char *s = R"(
#include "local.h"
)";
""",
        }
    )
    assert taken(found, "src/main.cpp") == [
        ("local.h", "src/local.h", ()),
        ("../include/proj/api.h", "include/proj/api.h", ()),
        ("proj/api.h", "include/proj/api.h", ()),
        ("proj/types.hpp", "include/proj/types.hpp", ()),
        ("string.h", None, ()),
        ("unit.h", "src/deep/unit.h", ()),
        ("win.h", None, ()),
        ("../../outside.h", None, ()),
    ]
    assert targets(found, "include/proj/api.h") == ["include/proj/types.hpp"]


def test_ruby_files_are_required_from_their_roots(graph: Graph) -> None:
    found = graph(
        {
            "lib/tool.rb": """\
require 'json'
require "tool/version"
require_relative 'tool/deep'
autoload :Later, 'tool/later'
require File.join(__dir__, "tool", "x")
require "#{name}"
load 'tool/version.rb' if old
other.require 'tool/version'
# require 'tool/version'
""",
            "lib/tool/version.rb": "",
            "lib/tool/deep.rb": "",
            "lib/tool/later.rb": "",
            "app/models/user.rb": "",
            "spec/spec_helper.rb": "",
            "spec/models/user_spec.rb": "require 'spec_helper'\nrequire 'user'\n"
            "require 'models/user'\nrequire_relative '../../../x'\n",
        }
    )
    assert taken(found, "lib/tool.rb") == [
        ("json", None, ()),
        ("tool/version", "lib/tool/version.rb", ()),
        ("tool/deep", "lib/tool/deep.rb", ()),
        ("tool/later", "lib/tool/later.rb", ("Later",)),
        ("tool/version.rb", "lib/tool/version.rb", ()),
    ]
    assert targets(found, "spec/models/user_spec.rb") == [
        "spec/spec_helper.rb",
        "app/models/user.rb",
        "app/models/user.rb",
        None,
    ]


def test_php_classes_are_autoloaded_and_files_included(graph: Graph) -> None:
    autoload = {"psr-4": {"App\\": "src/", "App\\Deep\\": ["deep"]}}
    found = graph(
        {
            "composer.json": json.dumps(
                {"autoload": autoload, "autoload-dev": {"psr-4": {"Tests\\": "tests"}}}
            ),
            "src/Model/User.php": "<?php\nnamespace App\\Model;\nclass User {}\n",
            "src/Model/Role.php": "<?php\nnamespace App\\Model;\nenum Role {}\n",
            "deep/Thing.php": "<?php\nnamespace App\\Deep;\nclass Thing {}\n",
            "legacy/all.php": "<?php\nnamespace Old;\nclass A {}\nfunction helper() {}\n",
            "tests/Case1.php": "<?php\n",
            "boot.php": "<?php\n",
            "src/main.php": """\
<?php
namespace App;
use App\\Model\\User;
use App\\Model\\{Role, User as U};
use App\\Deep\\Thing;
use Old\\A;
use function Old\\helper;
use Tests\\Case1;
use Vendor\\Missing;
require_once __DIR__ . '/../boot.php';
include dirname(__FILE__) . "/Model/User.php";
require dirname(__DIR__) . '/boot.php';
require 'boot.php';
if ($x) { include $path . '.php'; }
include '../../../etc/passwd';
$s = "use Old\\A;";
""",
        }
    )
    assert taken(found, "src/main.php") == [
        ("App\\Model\\User", "src/Model/User.php", ()),
        ("App\\Model\\Role", "src/Model/Role.php", ()),
        ("App\\Model\\User", "src/Model/User.php", ()),
        ("App\\Deep\\Thing", "deep/Thing.php", ()),
        ("Old\\A", "legacy/all.php", ()),
        ("Old\\helper", "legacy/all.php", ()),
        ("Tests\\Case1", "tests/Case1.php", ()),
        ("Vendor\\Missing", None, ()),
        ("__DIR__ . '/../boot.php'", "boot.php", ()),
        ('dirname(__FILE__) . "/Model/User.php"', "src/Model/User.php", ()),
        ("dirname(__DIR__) . '/boot.php'", "boot.php", ()),
        ("boot.php", "boot.php", ()),
        ("../../../etc/passwd", None, ()),
    ]


def test_csharp_namespaces_mean_the_files_that_declare_them(graph: Graph) -> None:
    found = graph(
        {
            "A.cs": "namespace Org.Data;\npublic class A { public class Inner {} }\n",
            "B.cs": "namespace Org { namespace Data { record B(int X); } }\n",
            "Main.cs": """\
global using Org.Data;
using static Org.Data.A;
using Alias = Org.Data.B;
using Deep = Org.Data.A.Inner;
using System;
namespace Org.App { using Org.Data; class P { void M() { using (var x = Y()) {} } } }
""",
        }
    )
    assert taken(found, "Main.cs") == [
        ("Org.Data", "A.cs", ()),
        ("Org.Data", "B.cs", ()),
        ("Org.Data.A", "A.cs", ()),
        ("Org.Data.B", "B.cs", ()),
        ("Org.Data.A.Inner", "A.cs", ()),
        ("System", None, ()),
        ("Org.Data", "A.cs", ()),
        ("Org.Data", "B.cs", ()),
    ]
