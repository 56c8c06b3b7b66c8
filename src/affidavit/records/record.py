"""The frozen model that all records share."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

Side = Literal["base", "head"]


class Record(BaseModel):
    """Immutable data; `model_copy(update=…)` makes the next version of it."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="null")
