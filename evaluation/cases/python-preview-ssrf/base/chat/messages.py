"""Messages as the page gets them."""

import re
from dataclasses import dataclass

LINK = re.compile(r"https?://\S+")


@dataclass
class Message:
    author: str
    text: str
    preview: str = ""


def receive(author: str, text: str) -> Message:
    return Message(author, text)
