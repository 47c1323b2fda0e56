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
from pydantic import GetPydanticSchema, SecretStr
from pydantic_core.core_schema import is_instance_schema

from rag1.errors import ConfigError, Unavailable, UnreadableReply
from rag1.llm.client import Call, Client
from rag1.llm.dry import DryRun
from rag1.llm.limiter import Slot
from rag1.llm.roles import model_for
from rag1.llm.wire import CUT, Completion, Fault, Refusal, Tokens, clean, clean_json, fault_of, scrub
from rag1.types import Llm


@dataclass(frozen=True)
class LangChainEndpoint:
    """A LangChain chat model as an endpoint. It needs `max_retries=0`: attempts are counted on our side."""

    chat: BaseChatModel
    paid: bool = True

    def __post_init__(self) -> None:
        if (retries := getattr(self.chat, "max_retries", 0)) != 0:
            raise ConfigError(
                f"llm.endpoint.chat.max_retries={retries} of {type(self.chat).__name__}:"
                " its own retries would not be counted; set it to 0 (ours are llm.patience.max_retries)"
            )

    @cached_property
    def identity(self) -> str:
        """The model's class and settings, without its secrets."""
        named = (
            dumps(self.chat) if self.chat.is_lc_serializable() else repr(sorted(self.chat._identifying_params.items()))
        )
        return f"langchain {type(self.chat).__module__}.{type(self.chat).__name__} {named}"

    @property
    def server(self) -> str:
        return self.identity

    def ready(self) -> None:
        """A LangChain model checks its own key when it is made."""

    def send(self, body: Mapping[str, Any], seconds: float, slot: Slot) -> Completion:
        """One reply; settings in `body` beside model and messages go to the model as they are."""
        settings = {name: value for name, value in body.items() if name not in ("model", "messages")}
        messages = convert_to_messages(body["messages"])
        with slot:
            message = _within(slot.seconds(seconds), lambda: self.chat.invoke(messages, **settings), self._secrets)
        return completion_of(message)

    @cached_property
    def _secrets(self) -> tuple[str, ...]:
        """The chat model's keys, which its errors may show."""
        held = vars(self.chat).values()
        return tuple(each.get_secret_value() for each in held if isinstance(each, SecretStr))


def _within(seconds: float, call: Callable[[], BaseMessage], secrets: Sequence[str] = ()) -> BaseMessage:
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
        raise fault_from(result, secrets) from None  # its own chain may show the key
    return result


def fault_from(error: Exception, secrets: Sequence[str] = ()) -> Fault:
    """What a vendor's exception means: by its HTTP status where it has one, else worth another attempt."""
    code = getattr(error, "status_code", None) or getattr(error, "code", None)
    said = _scrubbed(f"{type(error).__name__}: {' '.join(str(error).split())}", secrets)[:300]
    if not isinstance(code, int):
        return Fault("again", said, maybe_paid=True)
    headers = getattr(getattr(error, "response", None), "headers", {})
    fault = fault_of(code, getattr(error, "body", None), headers, said)
    return Fault(fault.kind, _scrubbed(str(fault), secrets), fault.wait, fault.maybe_paid)


def _scrubbed(text: str, secrets: Sequence[str]) -> str:
    for secret in secrets:
        text = scrub(text, secret)
    return scrub(text)


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
        tool_choice: str | bool | dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """The model with tools to call. `tool_choice`: auto, none, any or True (one must be called), a tool's name, or
        OpenAI's own form."""
        formatted = [convert_to_openai_tool(tool) for tool in tools]
        choice = {} if tool_choice in (None, False) else {"tool_choice": _tool_choice(tool_choice)}
        return self.bind(tools=formatted, **choice, **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002
        **kwargs: Any,
    ) -> ChatResult:
        settings = {name: value for name, value in kwargs.items() if not name.startswith("ls_")}
        client, model = self._chosen()
        body: dict[str, Any] = {
            "model": model,
            "messages": convert_to_openai_messages(messages),
            **client.sampling.body(0),
            **settings,
        }
        call = Call(self.task, {**body, "stop": stop} if stop else body, None, 0, _reader(settings))
        return _result(client.ask(call))

    def _chosen(self) -> tuple[Client, str]:
        """Who answers: another model of the client, or another client, where `llm.roles` says so."""
        chosen = model_for(self.client.roles, self.task, self.client.model)
        if isinstance(chosen, str):
            return self.client, chosen
        other = chat_model(chosen, self.task).client
        return other, other.model


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


def _tool_choice(choice: object) -> object:
    if isinstance(choice, dict):
        return choice
    if choice is True:
        return "required"
    if choice in ("auto", "none", "required"):
        return choice
    return "required" if choice == "any" else {"type": "function", "function": {"name": choice}}


def _forced(settings: Mapping[str, Any]) -> bool:
    choice = settings.get("tool_choice")
    return choice == "required" or isinstance(choice, dict)


def _reader(settings: Mapping[str, Any]) -> Callable[[Completion], Completion]:
    """A check of tool calls: each has a name and an object of arguments, among them all that the tool requires, and a
    forced call is there."""
    tools = [tool["function"] for tool in settings.get("tools", ()) if isinstance(tool.get("function"), dict)]
    required = {tool["name"]: tool.get("parameters", {}).get("required", ()) for tool in tools}

    def read(completion: Completion) -> Completion:
        if _forced(settings) and not completion.tool_calls:
            raise UnreadableReply("the reply calls no tool", completion.text)
        for call in completion.tool_calls:
            name, arguments = _arguments(call)
            if absent := [each for each in required.get(name, ()) if each not in arguments]:
                raise UnreadableReply(f"the call of {name} lacks {', '.join(absent)}", json.dumps(call))
        return completion

    return read


def _arguments(call: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    function = call.get("function")
    stated = function.get("arguments") or "{}" if isinstance(function, dict) else ""
    text = stated if isinstance(stated, str) else json.dumps(stated)
    try:
        arguments = clean_json(json.loads(text, strict=False))
    except (ValueError, RecursionError) as error:
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
