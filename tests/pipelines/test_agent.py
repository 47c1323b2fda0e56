"""The agent: what a tool says decides the next call; mistakes are observations; turns are bounded; the trace tells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest

from rag1.answer.tools import ArithmeticTool, CountTool, NeighboursTool, Result, Tool
from rag1.errors import ConfigError, InputError
from rag1.graph.cypher_store import CypherStore
from rag1.llm.offline import OfflineLlm
from rag1.llm.tasks import ChooseTool, ToolChoice, ToolSpec
from rag1.pipelines.agent import Agent
from rag1.types import ABSTENTION, NO_EVIDENCE, Answer, Query, Retrieved

from .conftest import CORPUS, STORY

ASKED = Query("1", "太一の父の妻は誰か。")


@dataclass
class Told:
    """A tool that answers from a table of arguments, and remembers its calls."""

    table: dict[str, str]
    name: str = "neighbours"
    calls: list[str] = field(default_factory=list)

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(name=self.name, description="d", argument="a")

    def __call__(self, argument: str, query: Query) -> Result:
        self.calls.append(argument)
        text = self.table.get(argument)
        if text is None:
            raise InputError(f"no entry {argument!r}")
        return Result(text, (Retrieved(f"f:{argument}", text, "ie", None, 1.0, "graph:test"),))


@dataclass
class Choices:
    """A model that makes these choices in turn, the last one for ever."""

    choices: Sequence[ToolChoice]
    asked: list[ChooseTool] = field(default_factory=list)

    def __call__(self, task: ChooseTool, *, repeat: int = 0) -> ToolChoice:
        self.asked.append(task)
        return self.choices[min(len(self.asked), len(self.choices)) - 1]


def call(tool: str, argument: str) -> ToolChoice:
    return ToolChoice(tool=tool, argument=argument)


def agent(llm: Callable[..., object], *tools: Tool, turns: int = 6) -> Agent:
    return Agent(llm, {tool.spec.name: tool for tool in tools}, CORPUS, turns)  # type: ignore[arg-type]


def test_changing_a_tools_result_changes_the_next_call() -> None:
    for father in ("源次", "勘太"):
        tool = Told({"太一": f"太一 - 父 -> {father}", father: f"{father} - 妻 -> お咲"})
        answer = agent(OfflineLlm(), tool)(ASKED)
        assert tool.calls == ["太一", father]
        assert answer.text == "お咲"


def test_a_tools_mistake_is_an_observation_and_the_agent_goes_on() -> None:
    model = Choices([call("neighbours", "誰か"), call("clock", "今"), ToolChoice(answer="お咲")])
    answer = agent(model, Told({}))(ASKED)
    assert answer.text == "お咲"
    seen = model.asked[-1].observations
    assert [o.result for o in seen] == ["error: no entry '誰か'", "error: no tool 'clock'; there are neighbours"]
    assert model.asked[-1].turns_left == 4


def test_the_same_call_twice_is_not_made_twice() -> None:
    tool = Told({"太一": "太一 - 父 -> 源次"})
    model = Choices([call("neighbours", "太一"), call("neighbours", "太一"), ToolChoice(answer="源次")])
    agent(model, tool)(ASKED)
    assert tool.calls == ["太一"]
    assert model.asked[-1].observations[1].result.startswith("error: asked before")


def test_turns_are_bounded() -> None:
    answer = agent(Choices([call("neighbours", "x")]), Told({}), turns=3)(ASKED)
    assert (answer.text, answer.stop, answer.error) == (ABSTENTION, "max_turns", "3 turns without an answer")
    assert [step.name for step in answer.trace] == ["tool"] * 3


def test_a_bug_in_a_tool_is_no_observation() -> None:
    class Broken(Told):
        def __call__(self, argument: str, query: Query) -> Result:
            raise KeyError(argument)

    with pytest.raises(KeyError):
        agent(Choices([call("neighbours", "x")]), Broken({}))(ASKED)


def test_evidence_that_no_tool_showed_is_dropped() -> None:
    model = Choices([call("neighbours", "太一"), ToolChoice(answer="お咲", evidence="お咲は源次に嫁いだのであった。")])
    answer = agent(model, Told({"太一": "太一 - 父 -> 源次"}))(ASKED)
    assert (answer.evidence, answer.flags) == (NO_EVIDENCE, ("evidence_dropped",))


def test_the_trace_tells_thought_call_and_result() -> None:
    model = Choices([ToolChoice(thought="父から", tool="neighbours", argument="太一"), ToolChoice(answer="お咲")])
    answer = agent(model, Told({"太一": "太一 - 父 -> 源次"}))(ASKED)
    assert answer.trace[0].detail == "父から\nneighbours(太一)\n太一 - 父 -> 源次"
    assert answer.support[0].text == "太一 - 父 -> 源次"


def test_facts_around_a_name_lead_to_the_sentences_they_were_read_from(family: CypherStore) -> None:
    answer = agent(OfflineLlm(), NeighboursTool(family))(ASKED)
    assert answer.text == "お咲"
    assert answer.evidence == "太一の父は源次である。｜｜源次の室はお咲である。"


def test_an_unknown_name_is_answered_with_near_ones(family: CypherStore) -> None:
    tool = NeighboursTool(family)
    assert "源次 - 室 -> お咲" in tool("源", ASKED).text  # an alias
    with pytest.raises(InputError, match=r"「松風山」.*松風寺"):
        tool("松風山", ASKED)


def test_counts_and_arithmetic() -> None:
    counted = CountTool(CORPUS)("父", ASKED)
    assert counted.text == f"『{STORY.title}』の「父」: 2回"
    assert CORPUS["ie"].text[slice(*counted.support[0].span or (0, 0))].strip() == "太一の父は源次である。"
    assert CountTool(CORPUS)("鯨", ASKED).text == "0回"
    assert CountTool(CORPUS)("父", Query("1", "", frozenset({"other"}))).text == "0回"
    assert ArithmeticTool()("（１９０３－１８６８）×２", ASKED).text.endswith("= 70")


def test_an_agent_without_tools_is_refused() -> None:
    with pytest.raises(ConfigError, match="at least one tool"):
        Agent(OfflineLlm(), {}, CORPUS)


def test_an_abstention_carries_no_evidence() -> None:
    answer: Answer = agent(Choices([ToolChoice(answer=ABSTENTION, evidence="太一の父")]), Told({}))(ASKED)
    assert (answer.stop, answer.evidence) == ("no_evidence", NO_EVIDENCE)
