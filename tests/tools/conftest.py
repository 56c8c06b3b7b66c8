"""The tools over the change to the shop."""

from collections.abc import Iterator

import pytest
from shop_change import a_case

from affidavit.tools.toolbox import Toolbox
from written_readers import written_readers


@pytest.fixture(scope="module")
def toolbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Toolbox]:
    case = a_case(tmp_path_factory.mktemp("tools"))
    with case.repository:
        yield Toolbox(case.repository, case.change, written_readers({"shop/checkout.py": ["shop/prices.py"]}))
