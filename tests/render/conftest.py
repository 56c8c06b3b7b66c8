"""Fixtures of the rendering tests."""

from browser import browser

__all__ = ["browser"]
