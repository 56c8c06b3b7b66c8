"""The line to the archive; sending raises ConnectionError when it breaks."""


class Link:
    def __init__(self) -> None:
        self.is_open = True

    def send(self, block: bytes) -> None:
        if not self.is_open:
            raise ConnectionError("the line to the archive is closed")

    def close(self) -> None:
        self.is_open = False
