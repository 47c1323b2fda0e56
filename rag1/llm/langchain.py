"""LangChain beside us: any of its chat models as an endpoint of ours, and our client as one of its chat models."""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.load import dumps
from langchain_core.messages import AIMessage, BaseMessage, convert_to_messages
from langchain_core.messages.utils import convert_to_openai_messages
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import GetPydanticSchema
from pydantic_core.core_schema import is_instance_schema

from rag1.errors import Unavailable, UnreadableReply
from rag1.llm.client import Call, Client
from rag1.llm.dry import DryRun
from rag1.llm.limiter import Slot
from rag1.llm.roles import model_for
from rag1.llm.wire import Completion, Fault, Refusal, Tokens, clean, fault_of, scrub
from rag1.types import Llm

CUT = ("length", "max_tokens", "MAX_TOKENS")
"""What vendors call a reply that ended at its token limit."""


@dataclass(frozen=True)
class LangChainEndpoint:
    """A LangChain chat model as an endpoint. Give it `max_retries=0`: attempts are counted on our side."""

    chat: BaseChatModel
    paid: bool = True

    @cached_property
    def identity(self) -> str:
        """The model's class and settings, without its secrets."""
        named = (
            dumps(self.chat) if self.chat.is_lc_serializable() else repr(sorted(self.chat._identifying_params.items()))
        )
        return f"langchain {type(self.chat).__module__}.{type(self.chat).__name__} {named}"

    def ready(self) -> None:
        """A LangChain model checks its own key when it is made."""

    def send(self, body: Mapping[str, Any], seconds: float, slot: Slot) -> Completion:
        """One reply; settings in `body` beside model and messages go to the model as they are."""
        settings = {name: value for name, value in body.items() if name not in ("model", "messages")}
        messages = convert_to_messages(body["messages"])
        with slot:
            message = _within(slot.seconds(seconds), lambda: self.chat.invoke(messages, **settings))
        return completion_of(message)


def _within(seconds: float, call: Callable[[], BaseMessage]) -> BaseMessage:
    """The call's result; a call that takes longer goes on in its thread, and its result is dropped."""
    results: queue.SimpleQueue[BaseMessage | Exception] = queue.SimpleQueue()

    def work() -> None:
        try:
            results.put(call())
        except Exception as error:
            results.put(error)

    threading.Thread(target=work, daemon=True, name="rag1-langchain").start()
    try:
        result = results.get(timeout=seconds)
    except queue.Empty:
        raise Fault("again", f"no whole answer within {seconds:.1f} s", maybe_paid=True) from None
    if isinstance(result, Exception):
        raise fault_from(result) from result
    return result


def fault_from(error: Exception) -> Fault:
    """What a vendor's exception means: by its HTTP status where it has one, else worth another attempt."""
    code = getattr(error, "status_code", None) or getattr(error, "code", None)
    said = scrub(f"{type(error).__name__}: {' '.join(str(error).split())}"[:300])
    if not isinstance(code, int):
        return Fault("again", said, maybe_paid=True)
    headers = getattr(getattr(error, "response", None), "headers", {})
    fault = fault_of(code, getattr(error, "body", None), headers, said)
    return Fault(fault.kind, scrub(str(fault)), fault.wait, fault.maybe_paid)


def completion_of(message: BaseMessage) -> Completion:
    """A LangChain message as a reply. Raises Fault for a refusal and for nothing."""
    usage: Mapping[str, Any] = getattr(message, "usage_metadata", None) or {}
    details = usage.get("input_token_details") or {}, usage.get("output_token_details") or {}
    tokens = Tokens(
        int(usage.get("input_tokens", 0)),
        int(usage.get("output_tokens", 0)),
        int(details[0].get("cache_read") or 0),
        int(details[1].get("reasoning") or 0),
        stated=bool(usage),
    )
    finish = str(message.response_metadata.get("finish_reason") or message.response_metadata.get("stop_reason") or "")
    if refusal := message.additional_kwargs.get("refusal"):
        raise Refusal(clean(str(refusal)), tokens)
    calls = tuple(_wire_call(call) for call in getattr(message, "tool_calls", ()))
    text = str(message.text)
    if not text.strip() and not calls and finish not in CUT:
        raise Fault("again", "an empty reply", maybe_paid=True)
    return Completion(clean(text), "length" if finish in CUT else finish, tokens, calls)


def _wire_call(call: Mapping[str, Any]) -> dict[str, Any]:
    function = {"name": call["name"], "arguments": json.dumps(call["args"], ensure_ascii=False)}
    return {"id": call.get("id"), "type": "function", "function": function}


class RagChatModel(BaseChatModel):
    """Our client as a LangChain chat model: its calls go through the same cache, pool, ledger and budget.

    `task` names its calls in the ledger and in `llm.roles`.
    """

    # An instance check alone: pydantic must not look into the client's fields.
    client: Annotated[Client, GetPydanticSchema(lambda _source, _handler: is_instance_schema(Client))]
    task: str = "langchain"

    @property
    def _llm_type(self) -> str:
        return "rag1"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model": self.client.model, "endpoint": self.client.endpoint.identity}

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """The model with tools to call. `tool_choice`: auto, none, any (one must be called), or a tool's name."""
        formatted = [convert_to_openai_tool(tool) for tool in tools]
        choice = {} if tool_choice is None else {"tool_choice": _tool_choice(tool_choice)}
        return self.bind(tools=formatted, **choice, **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002
        **kwargs: Any,
    ) -> ChatResult:
        settings = {name: value for name, value in kwargs.items() if not name.startswith("ls_")}
        chosen = model_for(self.client.roles, self.task, self.client.model)
        body: dict[str, Any] = {
            "model": chosen if isinstance(chosen, str) else self.client.model,
            "messages": convert_to_openai_messages(messages),
            **self.client.sampling.body(0),
            **settings,
        }
        call = Call(self.task, {**body, "stop": stop} if stop else body, None, 0, _reader(bool(_forced(settings))))
        return _result(self.client.ask(call))


def chat_model(llm: Llm, task: str = "langchain") -> RagChatModel:
    """A model of ours as LangChain's. Raises Unavailable for one that answers typed tasks only."""
    if isinstance(llm, DryRun):
        raise Unavailable(f"{task}: a dry run cannot count the calls of LangChain's own prompts", "pipeline")
    if not isinstance(llm, Client):
        raise Unavailable(
            f"{task}: {type(llm).__name__} cannot serve LangChain's own prompts; choose a real model (llm=openai)",
            "pipeline",
            "llm",
        )
    return RagChatModel(client=llm, task=task)


def _tool_choice(choice: str) -> object:
    if choice in ("auto", "none", "required"):
        return choice
    return "required" if choice == "any" else {"type": "function", "function": {"name": choice}}


def _forced(settings: Mapping[str, Any]) -> bool:
    choice = settings.get("tool_choice")
    return choice == "required" or isinstance(choice, dict)


def _reader(forced: bool) -> Callable[[Completion], Completion]:
    """A check of tool calls: each has a name and an object of arguments, and a forced call is there."""

    def read(completion: Completion) -> Completion:
        if forced and not completion.tool_calls:
            raise UnreadableReply("the reply calls no tool", completion.text)
        for call in completion.tool_calls:
            _arguments(call)
        return completion

    return read


def _arguments(call: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    function = call.get("function")
    text = str(function.get("arguments") or "{}") if isinstance(function, dict) else ""
    try:
        arguments = json.loads(text, strict=False)
    except ValueError as error:
        raise UnreadableReply(f"a tool call's arguments are no JSON: {error}", text) from error
    if not isinstance(function, dict) or not function.get("name") or not isinstance(arguments, dict):
        raise UnreadableReply("a tool call without a name or without an object of arguments", text)
    return str(function["name"]), arguments


def _result(completion: Completion) -> ChatResult:
    calls = []
    for number, call in enumerate(completion.tool_calls):
        name, arguments = _arguments(call)
        calls.append({"name": name, "args": arguments, "id": call.get("id") or f"call_{number}", "type": "tool_call"})
    used = completion.tokens
    message = AIMessage(
        content=completion.text,
        tool_calls=calls,
        usage_metadata={
            "input_tokens": used.prompt,
            "output_tokens": used.completion,
            "total_tokens": used.prompt + used.completion,
        },
        response_metadata={"finish_reason": completion.finish},
    )
    return ChatResult(generations=[ChatGeneration(message=message)])
