"""What tokens cost, from a dated yaml that a person can correct. A model that it does not name is unknown, not free."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from yaml import YAMLError

from rag1.errors import ConfigError
from rag1.llm.wire import Tokens

PROJECT = Path(__file__).resolve().parents[2]


class Price(BaseModel):
    """US dollars a million tokens. `cached`: prompt tokens that the provider had in its own cache."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    prompt: float = Field(ge=0)
    completion: float = Field(default=0.0, ge=0)
    cached: float | None = Field(default=None, ge=0)

    def usd(self, tokens: Tokens) -> float:
        """Reasoning tokens are part of the completion tokens."""
        cached = self.prompt if self.cached is None else self.cached
        fresh = tokens.prompt - tokens.cached
        return (fresh * self.prompt + tokens.cached * cached + tokens.completion * self.completion) / 1e6


FREE = Price(prompt=0.0)


class PriceFile(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    as_of: str
    models: dict[str, Price]


@dataclass(frozen=True)
class Prices:
    """Prices by model name; a dated name (`gpt-4.1-mini-2025-04-14`) falls back on the undated one."""

    as_of: str = "never"
    models: Mapping[str, Price] = field(default_factory=dict)

    def of(self, model: str) -> Price | None:
        undated = re.sub(r"-\d{4}-?\d{2}-?\d{2}$", "", model)
        return self.models.get(model) or self.models.get(undated)


def in_project(path: str) -> Path:
    """`path` as it is seen from the working folder, else from the project's folder."""
    here = Path(path)
    return here if here.is_absolute() or here.exists() else PROJECT / path


@lru_cache(maxsize=8)
def read_prices(path: str) -> Prices:
    """The price file. Raises ConfigError naming the faulty line."""
    place = in_project(path)
    try:
        read = PriceFile.model_validate(OmegaConf.to_container(OmegaConf.load(place)))
    except OSError as error:
        raise ConfigError(f"price file {place}: {error.strerror}; set llm.ledger.prices to a price file") from error
    except ValidationError as error:
        first = error.errors()[0]
        at = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"price file {place}: {at}: {first['msg']} (got {first['input']!r})") from error
    except (YAMLError, OmegaConfBaseException) as error:
        raise ConfigError(f"price file {place} is not yaml: {' '.join(str(error).split())}") from error
    return Prices(read.as_of, read.models)
