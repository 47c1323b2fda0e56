"""An agent: reason, call a tool, look at what came, until it answers or its turns are used up: `pipeline=agent`.

Yao et al. 2023, "ReAct: Synergizing Reasoning and Acting in Language Models", with the choice of a turn as one typed
task (`ChooseTool`).
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rag1.answer.ground import grounded
from rag1.answer.tools import Result, Tool
from rag1.corpus.corpus import Corpus
from rag1.errors import ConfigError, CypherError, CypherSyntax, InputError, UnsafeCypher
from rag1.llm.tasks import ChooseTool, Observation, ToolChoice
from rag1.text.tokens import truncate_tokens
from rag1.types import ABSTENTION, NO_EVIDENCE, Answer, Llm, Query, Retrieved, Step, Stop

MISTAKES = (InputError, CypherError, CypherSyntax, UnsafeCypher)
"""What a tool's argument can be to blame for: the model is told, and goes on. Anything else ends the question."""


@dataclass(frozen=True)
class Agent:
    """`tools` by the name that the model calls them. `max_turns`: choices, the last of which must answer.

    `shown`: tokens of an observation that the model sees.
    """

    llm: Llm
    tools: Mapping[str, Tool]
    corpus: Corpus
    max_turns: int = 8
    shown: int = 1500

    def __post_init__(self) -> None:
        if not self.tools or self.max_turns < 1:
            raise ConfigError("pipeline=agent needs at least one tool and one turn")

    def __call__(self, query: Query) -> Answer:
        memory = Memory()
        for turn in range(self.max_turns):
            start = time.perf_counter()
            choice = self._choose(query, memory, self.max_turns - turn)
            if choice.tool is None:
                return self._answer(query, choice, memory, time.perf_counter() - start)
            result = self._call(choice, query, memory)
            memory.keep(choice, result, truncate_tokens(result.text, self.shown), time.perf_counter() - start)
        return memory.ended(query, "max_turns", f"{self.max_turns} turns without an answer")

    def _choose(self, query: Query, memory: Memory, turns_left: int) -> ToolChoice:
        specs = tuple(tool.spec for tool in self.tools.values())
        return self.llm(
            ChooseTool(question=query.text, tools=specs, observations=tuple(memory.seen), turns_left=turns_left)
        )

    def _call(self, choice: ToolChoice, query: Query, memory: Memory) -> Result:
        """The tool's result; its mistakes, and the model's, as an observation."""
        tool = self.tools.get(choice.tool or "")
        if tool is None:
            return Result(f"error: no tool {choice.tool!r}; there are {', '.join(self.tools)}")
        if any((seen.tool, seen.argument) == (choice.tool, choice.argument) for seen in memory.seen):
            return Result("error: asked before with the same argument; see the observations")
        try:
            return tool(choice.argument, query)
        except MISTAKES as fault:
            return Result(f"error: {fault}")

    def _answer(self, query: Query, choice: ToolChoice, memory: Memory, seconds: float) -> Answer:
        text = (choice.answer or "").strip() or ABSTENTION
        memory.steps.append(Step("answer", f"{choice.thought}\n{text}", seconds))
        if text == ABSTENTION:
            return memory.ended(query, "no_evidence")
        evidence = grounded([choice.evidence], memory.support, self.corpus)
        flags = () if evidence != NO_EVIDENCE else ("evidence_dropped",)
        return Answer(query.id, text, evidence, memory.support, trace=tuple(memory.steps), flags=flags)


@dataclass
class Memory:
    """What an agent has seen of one question."""

    seen: list[Observation] = field(default_factory=list)
    found: dict[str, Retrieved] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)

    @property
    def support(self) -> tuple[Retrieved, ...]:
        return tuple(self.found.values())

    def keep(self, choice: ToolChoice, result: Result, text: str, seconds: float) -> None:
        self.seen.append(Observation(tool=choice.tool or "", argument=choice.argument, result=text))
        for item in result.support:
            self.found.setdefault(f"{item.id} {item.text}", item)
        said = [choice.thought, f"{choice.tool}({choice.argument})", text, *result.notes]
        self.steps.append(Step("tool", "\n".join(line for line in said if line), seconds))

    def ended(self, query: Query, stop: Stop, error: str = "", flags: Sequence[str] = ()) -> Answer:
        return Answer(
            query.id, ABSTENTION, support=self.support, stop=stop, error=error, trace=tuple(self.steps),
            flags=tuple(flags),
        )  # fmt: skip
