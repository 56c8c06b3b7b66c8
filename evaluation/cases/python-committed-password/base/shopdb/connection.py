"""Connections to the shop's databases."""

import os
from collections.abc import Callable
from typing import Any


def shop_address() -> str:
    """Address and password come from the environment of the service."""
    return os.environ["SHOP_DATABASE_URL"]


def connect(open_connection: Callable[[str], Any]) -> Any:
    return open_connection(shop_address())
