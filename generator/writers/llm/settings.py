"""Where a model is and what it costs, from the environment and a config file; its key is shown nowhere.

`models.yaml` in the user's config folder, or the file that KBGEN_MODELS names, has one entry per provider
(`openai`) or model (`openai:MODEL`, which wins). Keys come from the variable that the provider's own tools
read, from the one that `api_key_env` names, or from `api_key` in a file that nobody else may read.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import platformdirs
import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from .... import KbgenError

PROVIDERS = ("openai", "anthropic", "ollama")
_OWN_URL = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "ollama": "http://localhost:11434",
}
_URL_ENV = {"openai": "OPENAI_BASE_URL", "anthropic": "ANTHROPIC_BASE_URL", "ollama": "OLLAMA_HOST"}
_KEY_ENV = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}

Price = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class ModelSettingsError(KbgenError):
    """The model cannot be reached as configured."""


class _Entry(BaseModel):
    """One entry of the config file; prices are for a million tokens."""

    model_config = ConfigDict(extra="forbid")

    base_url: str | None = None
    api_key: str | None = Field(default=None, repr=False)
    api_key_env: str | None = None
    context_tokens: Annotated[int, Field(ge=2000)] | None = None
    answer_tokens: Annotated[int, Field(ge=500)] | None = None
    timeout_s: Annotated[float, Field(gt=0)] | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    price_in: Price | None = None
    price_out: Price | None = None
    currency: str | None = None


_FILE: TypeAdapter[dict[str, _Entry]] = TypeAdapter(dict[str, _Entry])


@dataclass(frozen=True)
class Endpoint:
    """A model at an address. Prices are for a million tokens, None where nobody stated them."""

    provider: str
    model: str
    base_url: str
    key: str = field(repr=False)
    context_tokens: int = 64_000
    answer_tokens: int = 16_000
    timeout_s: float = 600.0
    temperature: float | None = None  # None: the server's own
    price_in: float | None = None
    price_out: float | None = None
    currency: str = "USD"

    @property
    def is_providers_own(self) -> bool:
        return self.base_url.rstrip("/") == _OWN_URL[self.provider]

    def cost(self, input_tokens: int | None, output_tokens: int | None) -> float | None:
        """What an answer costs; None where its price or its length is not known."""
        if self.price_in is None or self.price_out is None or input_tokens is None or output_tokens is None:
            return None
        return (input_tokens * self.price_in + output_tokens * self.price_out) / 1e6

    def without_secrets(self, text: str) -> str:
        """`text` without the key, and without what an address may carry before its host."""
        shown = text.replace(self.key, "<key>") if len(self.key) > 3 else text
        login = urlsplit(self.base_url).netloc.rpartition("@")[0]
        return shown.replace(f"{login}@", "") if login else shown


def endpoint(name: str) -> Endpoint:
    """The endpoint of `provider:model`."""
    provider, _, model = name.partition(":")
    file = config_path()
    entry = _entry(file, provider, name)
    url = entry.base_url or os.environ.get(_URL_ENV[provider]) or _OWN_URL[provider]
    url = url if "://" in url else f"http://{url}"
    key = _key(provider, entry)
    if not key and provider in _KEY_ENV and url.rstrip("/") == _OWN_URL[provider]:
        raise ModelSettingsError(
            f"{provider} wants a key: set {_KEY_ENV[provider]}, or api_key_env under '{provider}' in {file}; "
            f"for a server of your own set {_URL_ENV[provider]}."
        )
    stated = {
        one: value
        for one, value in entry.model_dump(exclude={"base_url", "api_key", "api_key_env"}).items()
        if value is not None
    }
    return Endpoint(provider, model, url, key or "none", **stated)


def config_path() -> Path:
    given = os.environ.get("KBGEN_MODELS")
    return Path(given) if given else Path(platformdirs.user_config_dir("kbgen")) / "models.yaml"


def _key(provider: str, entry: _Entry) -> str:
    if entry.api_key_env:
        found = os.environ.get(entry.api_key_env, "")
        if not found:
            raise ModelSettingsError(
                f"the variable {entry.api_key_env} is not set; put the key for {provider} there."
            )
        return found
    return entry.api_key or os.environ.get(_KEY_ENV.get(provider, ""), "")


def _entry(file: Path, provider: str, name: str) -> _Entry:
    """The provider's entry with what the model's own says instead."""
    if not file.is_file():
        return _Entry()
    try:
        document: Any = yaml.safe_load(file.read_text(encoding="utf-8")) or {}
        entries = _FILE.validate_python(document)
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ModelSettingsError(
            f"{file}: {where}: {first['msg']}; docs/llm.md lists what may stand there."
        ) from None
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ModelSettingsError(
            f"{file} cannot be read ({type(error).__name__}); mend it or remove it."
        ) from None
    _only_ours(file, entries)
    merged = {
        key: value
        for one in (provider, name)
        for key, value in entries.get(one, _Entry()).model_dump().items()
        if value is not None
    }
    return _Entry(**merged)


def _only_ours(file: Path, entries: Mapping[str, _Entry]) -> None:
    """A file with a key in it that others may read is refused."""
    open_to_others = file.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO)
    if open_to_others and any(entry.api_key for entry in entries.values()):
        raise ModelSettingsError(f"{file} holds a key and others may read it; run 'chmod 600 {file}'.")
