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
from llama_index.core.bridge.pydantic import Field
from llama_index.core.llms.custom import CustomLLM


class Anthropic(CustomLLM):  # type: ignore[misc]  # llama-index is not typed as we check
    """Text in, text out: no tools, no streams."""

    model: str
    context_tokens: int
    answer_tokens: int
    temperature: float | None
    timeout_s: float
    base_url: str
    api_key: str = Field(repr=False, exclude=True)

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
        turns = [(one.role.value, one.content or "") for one in messages]
        with Client(api_key=self.api_key, base_url=self.base_url, max_retries=0) as client:
            said = client.messages.create(
                model=self.model,
                max_tokens=self.answer_tokens,
                extra_body={} if self.temperature is None else {"temperature": self.temperature},
                timeout=self.timeout_s,
                system="\n\n".join(text for role, text in turns if role == "system"),
                messages=[{"role": role, "content": text} for role, text in turns if role != "system"],
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
