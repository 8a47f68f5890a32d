"""remember takes the lists of messages that APIs and frameworks have, as dicts and as objects."""

import collections
import dataclasses
import enum
import json
import pathlib
import types

import pytest

LISTS = json.loads((pathlib.Path(__file__).parents[3] / "internal/test/words/testdata/messages.json").read_text(encoding="utf-8"))


def told(answer):
    return [" ".join(filter(None, (m.role, m.speaker))) + ": " + m.text for m in answer.memories]


@pytest.mark.parametrize("case", LISTS, ids=lambda case: case["api"])
def test_lists_as_dicts(server, case):
    answer = server.remember(case["messages"], user=case["api"], extract="none")
    said = [turn for turn in case["turns"] if turn.startswith(("user", "assistant")) and not turn.endswith(": ")]
    assert told(answer) == said and answer.omitted == case.get("omitted")


class Role(enum.Enum):
    USER = "user"


@dataclasses.dataclass
class Part:
    text: str
    type: str = "text"


@dataclasses.dataclass
class Turn:
    content: list
    role: Role = Role.USER


class Dumped:
    def __init__(self, **members):
        self.members = members

    def model_dump(self):
        return self.members


def test_objects(memory):
    picture = {"inline_data": {"mime_type": "image/png", "data": b"\x89PNG"}}
    answer = memory.remember(collections.deque([
        Turn([Part("I row."), Part("I ski.")]),
        Dumped(role="assistant", content=None, tool_calls=[Dumped(id="1")], annotations=None),
        types.MappingProxyType({"role": "user", "parts": (Part("A boat."), picture)})]))
    assert told(answer) == ["user: I row.\nI ski.", "user: A boat."]
    assert answer.omitted == {"tool_call": 1, "image": 1}


def test_the_objects_of_libraries(memory):
    """Objects as the libraries make them, of those that are installed."""
    lists = []
    try:
        from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

        lists.append([HumanMessage("I row.", name="Kim"), AIMessage("", tool_calls=[{"name": "f", "args": {}, "id": "1"}]),
                      ToolMessage("I am a tool.", tool_call_id="1"), AIMessage("Nice.")])
    except ImportError:
        pass
    try:
        from openai.types.chat import ChatCompletionMessage
        from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage

        call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        lists.append([{"role": "user", "name": "Kim", "content": "I row."},
                      ChatCompletionMessage.model_validate({"role": "assistant", "content": None, "tool_calls": [call]}),
                      {"role": "tool", "tool_call_id": "1", "content": "I am a tool."},
                      ChatCompletionMessage(role="assistant", content="Nice.")])
        said = {"type": "output_text", "text": "Nice.", "annotations": []}
        lists.append([{"role": "user", "name": "Kim", "content": "I row."},
                      ResponseFunctionToolCall(type="function_call", call_id="1", name="f", arguments="{}"),
                      {"type": "function_call_output", "call_id": "1", "output": "I am a tool."},
                      ResponseOutputMessage.model_validate({"id": "2", "type": "message", "role": "assistant",
                                                            "status": "completed", "content": [said]})])
    except ImportError:
        pass
    try:
        from anthropic.types import Message, TextBlock, ToolUseBlock

        usage = {"input_tokens": 1, "output_tokens": 1}
        lists.append([{"role": "user", "name": "Kim", "content": "I row."},
                      {"role": "assistant", "content": [ToolUseBlock(type="tool_use", id="1", name="f", input={})]},
                      {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "I am a tool."}]},
                      Message.model_validate({"id": "2", "type": "message", "role": "assistant", "model": "m", "usage": usage,
                                              "content": [TextBlock(type="text", text="Nice.")], "stop_reason": "end_turn"})])
    except ImportError:
        pass
    try:
        from google.genai.types import Content, Part

        lists.append([{"role": "user", "name": "Kim", "parts": [Part(text="I row.")]},
                      Content(role="model", parts=[Part.from_function_call(name="f", args={})]),
                      Content(role="user", parts=[Part.from_function_response(name="f", response={"output": "a tool"})]),
                      Content(role="model", parts=[Part(text="Nice.")])])
    except ImportError:
        pass
    for i, messages in enumerate(lists):
        answer = memory.remember(messages, session=str(i), extract="none")
        assert told(answer) == ["user Kim: I row.", "assistant: Nice."], messages
        assert answer.omitted == {"tool_call": 1} and [r.reason for r in answer.rejected] == ["role"], messages
