"""The measuring script counts what it says, and fails above a ceiling."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[1] / "tools" / "house.py"


@pytest.fixture(scope="module")
def house() -> ModuleType:
    spec = importlib.util.spec_from_file_location("house", SCRIPT)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_number_above_its_ceiling_is_named_and_fails(house: ModuleType) -> None:
    ceiling = house.CEILINGS["modules"]
    assert house.above({"modules": ceiling}) == []
    assert house.above({"modules": ceiling + 1}) == ["modules"]
    assert "ABOVE" in house.table({"modules": ceiling + 1})


def test_the_source_is_counted(house: ModuleType) -> None:
    numbers = house.source_numbers()
    assert numbers["modules"] == len(list(house.PACKAGE.rglob("*.py")))
    assert numbers["AST nodes"] > numbers["lines"] > numbers["lines outside the wings"] > 10_000
    assert numbers["function length, longest"] >= numbers["function length, 90th percentile"] > 5
