"""Takes scans from visitors and keeps them."""

from pathlib import Path

from gallery.thumbnails import make_thumbnail

ROOT = Path("/srv/gallery")


def keep(file_name: str, content: bytes) -> Path:
    """Keep an upload under the name that the visitor's browser sent."""
    place = ROOT / Path(file_name).name
    place.write_bytes(content)
    make_thumbnail(str(place), str(place.with_suffix(".thumb.png")))
    return place
