"""Sends a file to the archive in blocks."""

from collections.abc import Iterable

from transfer.link import Link


def transfer(link: Link, blocks: Iterable[bytes]) -> None:
    try:
        for block in blocks:
            link.send(block)
    finally:
        link.close()
