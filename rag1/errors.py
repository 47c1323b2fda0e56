"""One exception tree.

Rag1Error                     anything of ours; `exit_code` is what the command ends with
├── InputError (2)            a person's mistake: a file, a name, a setting; one line with value, limit, remedy
│   ├── ConfigError           an unknown config name or a bad value
│   │   └── Unavailable       a choice that needs what is not here: a real model, an extra, a key (`roles`)
│   └── DataError             faults of an input file, all at once (`faults`)
├── ProviderError (3)         the model's side
│   ├── AuthError             401, 403, 404, quota: fatal, one request
│   ├── RateLimited           Retry-After longer than the cap: fatal, resumable
│   ├── CallFailed            one call failed after its attempts: the question is flagged, others go on
│   ├── Deadline              a call or a question ran over its time
│   └── UnreadableReply       a reply that could not be read; `raw` is kept
├── BudgetSpent (1)           usd or tokens of the run's budget are used up: stops cleanly, resumable
├── TooManyFailures (3)       the run's error budget is used up: stops cleanly, resumable
├── StorageError (4)          disk, cache, journal, artifact
├── GraphError (5)            graph store
│   ├── GraphDown             cannot be reached, or silent
│   └── CypherError           a statement the store refused
├── CypherSyntax (5)          a statement that could not be read, before any store saw it
└── UnsafeCypher (5)          a statement the guard refused
"""

from __future__ import annotations

from collections.abc import Sequence


class Rag1Error(Exception):
    """Anything of ours. The message is one line for a person."""

    exit_code = 1


class InputError(Rag1Error):
    exit_code = 2


class ConfigError(InputError):
    pass


class Unavailable(ConfigError):
    """A choice that needs what this set-up lacks. `roles`: the folders of `conf/` whose choice brought it in."""

    def __init__(self, message: str, *roles: str) -> None:
        self.roles = roles
        super().__init__(message)


class DataError(InputError):
    """All faults of one input file, each a line of its own."""

    def __init__(self, message: str, faults: Sequence[str] = ()) -> None:
        self.faults = tuple(faults)
        super().__init__("\n  ".join([message, *self.faults]))


class ProviderError(Rag1Error):
    exit_code = 3


class AuthError(ProviderError):
    pass


class RateLimited(ProviderError):
    pass


class CallFailed(ProviderError):
    pass


class Deadline(ProviderError):
    pass


class UnreadableReply(ProviderError):
    """`raw` is what the model sent, kept whole."""

    def __init__(self, message: str, raw: str = "") -> None:
        self.raw = raw
        super().__init__(message)


class BudgetSpent(Rag1Error):
    exit_code = 1


class TooManyFailures(Rag1Error):
    exit_code = 3


class StorageError(Rag1Error):
    exit_code = 4


class GraphError(Rag1Error):
    exit_code = 5


class GraphDown(GraphError):
    pass


class CypherError(GraphError):
    pass


class CypherSyntax(Rag1Error):
    """A statement that could not be read; `position` is where reading stopped (characters)."""

    exit_code = 5

    def __init__(self, message: str, position: int = -1) -> None:
        self.position = position
        super().__init__(message)


class UnsafeCypher(Rag1Error):
    """A statement that the guard refused; `position` is its place in the statement (characters), or -1."""

    exit_code = 5

    def __init__(self, message: str, position: int = -1) -> None:
        self.position = position
        super().__init__(message)
