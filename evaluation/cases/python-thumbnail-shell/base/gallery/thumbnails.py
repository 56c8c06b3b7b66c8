"""Small pictures for the overview page."""

from PIL import Image

SIZE = (240, 240)


def make_thumbnail(source: str, target: str) -> None:
    """Write a small copy of the picture."""
    with Image.open(source) as picture:
        picture.thumbnail(SIZE)
        picture.save(target)
