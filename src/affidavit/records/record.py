"""Define the frozen base of all records, and describe data that does not fit one."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

Side = Literal["base", "head"]


class Record(BaseModel):
    """Immutable data; `model_copy(update=…)` makes the next version of it."""

    # A command uses few of the models, and each takes time to build, so they are built on first use.
    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="null", defer_build=True)


def first_mistake(error: ValidationError) -> str:
    """Return where the first mistake is and what was expected, in one line."""
    first = error.errors(include_url=False)[0]
    where = ".".join(map(str, first["loc"]))
    return f"{where}: {first['msg']}" if where else first["msg"]
