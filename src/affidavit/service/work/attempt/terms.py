"""On what terms a change is reviewed: the operator's settings in, options, models and prompts as data out."""

from typing import Any

from affidavit.quality.prompts import choose_prompts
from affidavit.records.change import Change
from affidavit.records.service.review import WantedReview
from affidavit.service.settings import ServiceSettings
from affidavit.store.open import Store


def options_for(settings: ServiceSettings, wanted: WantedReview, tenant: str) -> dict[str, Any]:
    """The options of a review: the operator's, then the caller's; only the operator has programs run."""
    return {**settings.options.chosen, **wanted.options, "run": settings.runs_for(tenant)}


def models_for(settings: ServiceSettings) -> dict[str, Any]:
    """The model of each role."""
    return {role: choice.model_dump(mode="json") for role, choice in settings.models.items()}


def prompts_for(settings: ServiceSettings, store: Store, change: Change) -> dict[str, Any]:
    """The prompts of a change, and for which arm of which rollout it counts."""
    options = settings.options
    chosen = choose_prompts(store, change, version=options.prompt_version, folder=options.prompts)
    prompts = chosen.prompts
    return {
        "prompts": {
            "version": prompts.version,
            "templates": dict(prompts.templates),
            "schema_version": prompts.schema_version,
        },
        "rollout": chosen.rollout,
        "arm": chosen.arm,
        "change_key": chosen.change_key,
    }
