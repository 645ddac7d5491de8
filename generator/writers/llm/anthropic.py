"""Anthropic's models behind llama-index's LLM interface, over Anthropic's own client.

llama-index's package for them draws in the clients of two cloud vendors, with which installing takes minutes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anthropic import Anthropic as Client
from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    CompletionResponse,
    CompletionResponseGen,
    LLMMetadata,
)
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.llms.custom import CustomLLM


class Anthropic(CustomLLM):  # type: ignore[misc]  # llama-index is not typed as we check
    """Text in, text out: no tools, no streams."""

    model: str
    context_tokens: int
    answer_tokens: int
    temperature: float
    timeout_s: float
    _client: Client = PrivateAttr()

    def __init__(self, *, base_url: str, api_key: str, **fields: Any) -> None:
        super().__init__(**fields)
        self._client = Client(api_key=api_key, base_url=base_url, max_retries=0, timeout=self.timeout_s)

    @classmethod
    def class_name(cls) -> str:
        return "Anthropic_llm"

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(
            context_window=self.context_tokens, num_output=self.answer_tokens, is_chat_model=True,
            model_name=self.model,
        )  # fmt: skip

    def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        """Every text block of the reply, joined; a reply of tool calls alone is an empty text."""
        said = self._client.messages.create(
            model=self.model,
            max_tokens=self.answer_tokens,
            temperature=self.temperature,
            timeout=self.timeout_s,
            system="\n\n".join(one.content or "" for one in messages if one.role.value == "system"),
            messages=[
                {"role": one.role.value, "content": one.content or ""}
                for one in messages
                if one.role.value != "system"
            ],
            **kwargs,
        )
        text = "".join(block.text for block in said.content if block.type == "text")
        return ChatResponse(message=ChatMessage(role="assistant", content=text), raw=said.model_dump())

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        said = self.chat([ChatMessage(role="user", content=prompt)], **kwargs)
        return CompletionResponse(text=said.message.content or "", raw=said.raw)

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponseGen:
        """The whole reply as one piece."""
        yield self.complete(prompt, formatted, **kwargs)
