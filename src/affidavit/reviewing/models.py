"""Choose the models that options and settings name: roles, addresses, budget, recordings."""

import os
from collections.abc import Mapping, Sequence

from affidavit.config.readers import MODEL_READERS, ROLES
from affidavit.config.settings import ENVIRONMENT_PREFIX, Settings, load_settings
from affidavit.errors import SettingsError
from affidavit.minds.choice import (
    COMPATIBLE_KEY,
    MAX_TOKENS,
    TEMPERATURES,
    ModelChoice,
    choose_model,
    names_provider,
)
from affidavit.minds.conversation_log import ConversationLog, LogMode
from affidavit.minds.ledger import Ledger, SpendingLimit
from affidavit.ports import SPECIALISTS, Role
from affidavit.reviewing.options import ReviewOptions

JUDGING: tuple[Role, ...] = ("verifier", "second_verifier")
OPTIONAL: tuple[Role, ...] = ("second_verifier", "reporter")


def chosen_models(
    options: ReviewOptions, environment: Mapping[str, str] = os.environ
) -> dict[Role, ModelChoice]:
    return models_of(_without_files(options, environment), options, environment)


def chosen_verifiers(options: ReviewOptions) -> dict[Role, ModelChoice]:
    """Return the models of the verifiers, for a command that asks no other role; it needs the first."""
    choices = _choices_of(JUDGING, _without_files(options, os.environ), options, os.environ)
    if "verifier" not in choices:
        raise SettingsError("no model for the verifier; choose one with --model or --verifier-model")
    return choices


def chosen_model(
    role: Role, options: ReviewOptions, environment: Mapping[str, str] = os.environ
) -> ModelChoice | None:
    """Return the model of a command that asks only one; its `--model` wins over the role's environment."""
    own = f"{ENVIRONMENT_PREFIX}{role.upper()}_MODEL"
    known = {name: value for name, value in environment.items() if name != own or not options.model}
    return _choice_of(role, _without_files(options, known), options, known)


def opened_ledger(options: ReviewOptions, environment: Mapping[str, str] = os.environ) -> Ledger:
    return ledger_of(_without_files(options, environment))


def _without_files(options: ReviewOptions, environment: Mapping[str, str]) -> Settings:
    flags = {name: value for name, value in options.flags.items() if name in MODEL_READERS}
    return load_settings(None, environment, flags)


def models_of(
    settings: Settings, options: ReviewOptions, environment: Mapping[str, str] = os.environ
) -> dict[Role, ModelChoice]:
    choices = _choices_of((*ROLES, *SPECIALISTS[1:]), settings, options, environment)
    missing = [role for role in ROLES if role not in choices and role not in OPTIONAL]
    if choices and missing:
        raise SettingsError(
            f"no model for the {missing[0]}; choose one with --{missing[0]}-model, or --model for all"
        )
    return choices | ({"joiner": as_joiner(choices["verifier"])} if choices else {})


def as_joiner(verifier: ModelChoice) -> ModelChoice:
    """Return the verifier's model with the settings of a joiner."""
    own = {"temperature": TEMPERATURES["joiner"], "reasoning": None, "max_tokens": MAX_TOKENS["joiner"]}
    return verifier.model_copy(update=own)


def _choices_of(
    roles: Sequence[Role], settings: Settings, options: ReviewOptions, environment: Mapping[str, str]
) -> dict[Role, ModelChoice]:
    choices = {one: made for one in roles if (made := _choice_of(one, settings, options, environment))}
    first, second = choices.get("verifier"), choices.get("second_verifier")
    if first and second and (first.model, first.base_url) == (second.model, second.base_url):
        raise SettingsError(
            f"the second verifier is the same model as the first ({first.model}): name another one with "
            "--second-verifier-model"
        )
    return choices


def _choice_of(
    role: Role, settings: Settings, options: ReviewOptions, environment: Mapping[str, str]
) -> ModelChoice | None:
    text = _model_of(settings, role)
    if not text:
        return None
    own, _ = _place_of(role)
    base_url, key_variable = _address_of(role, options, environment)
    return choose_model(
        text,
        role,
        base_url=base_url,
        key_variable=key_variable,
        temperature=getattr(settings, f"{own}_temperature"),
        reasoning=getattr(settings, f"{own}_reasoning"),
        max_tokens=getattr(settings, f"{own}_max_tokens"),
        silence_seconds=settings.model_timeout_seconds,
        prices=settings.prices_usd_per_million,
    )


def _place_of(role: Role) -> tuple[Role, int]:
    """Return the role that a role has its settings from, and which of the models named there it asks."""
    return ("specialist", SPECIALISTS.index(role)) if role in SPECIALISTS else (role, 0)


def _nth(names: str | None, at: int) -> str | None:
    return next(iter((names or "").split(",")[at:]), None) or None


def _model_of(settings: Settings, role: Role) -> str | None:
    own, at = _place_of(role)
    model = _nth(getattr(settings, f"{own}_model"), at)
    # The same model twice is one opinion, so a second verifier must be named as such.
    return model if role == "second_verifier" or at else model or settings.model


def _address_of(role: Role, options: ReviewOptions, environment: Mapping[str, str]) -> tuple[str | None, str]:
    """Return where the role's model is asked, and the variable of the key that may go there.

    A role's own address comes first. The general one is for all others, except for a role's model that the
    user named together with its provider.
    """

    def chosen(name: str) -> str | None:
        # Settings files do not count here: they must not send code to another address.
        return getattr(options, name) or environment.get(ENVIRONMENT_PREFIX + name.upper()) or None

    named, at = _place_of(role)
    own = chosen(f"{named}_base_url")
    if own:
        return own, f"{ENVIRONMENT_PREFIX}{named.upper()}_API_KEY"
    model = _nth(chosen(f"{named}_model"), at)
    if model and names_provider(model):
        return None, COMPATIBLE_KEY
    return chosen("base_url"), COMPATIBLE_KEY


def ledger_of(settings: Settings) -> Ledger:
    return Ledger(SpendingLimit(tokens=settings.budget_tokens, usd=settings.budget_usd))


def opened_log(options: ReviewOptions) -> ConversationLog:
    """Open the log of exchanges that one of the three options names."""
    modes = {
        LogMode.RECORD: options.record,
        LogMode.REPLAY: options.replay,
        LogMode.RESUME: options.resume,
    }
    chosen = [(mode, folder) for mode, folder in modes.items() if folder]
    if len(chosen) > 1:
        raise SettingsError("--record, --replay and --resume exclude each other")
    mode, folder = chosen[0] if chosen else (LogMode.OFF, None)
    return ConversationLog(folder, mode)
