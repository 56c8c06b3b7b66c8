"""What people can change about themselves."""

from accounts import audit


async def rename(actor: str, names: dict[str, str], new_name: str) -> None:
    names[actor] = new_name
    audit.record(actor, "rename", new_name)
