"""Where a model is comes from the environment and a file; keys are shown nowhere; bad settings are told."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbgen import KbgenError
from kbgen.generator.job import Asking, OptimizeRequest
from kbgen.generator.writers.choose import NothingToResumeError, UnknownWriterError, choose_writer
from kbgen.generator.writers.files import FilesWriter, FolderError
from kbgen.generator.writers.llm.settings import ModelSettingsError, config_path, endpoint
from kbgen.generator.writers.llm.writer import LLMWriter
from kbgen.generator.writers.synth.writer import SynthWriter

NAMES = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "OLLAMA_HOST")


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("KBGEN_MODELS", str(tmp_path / "models.yaml"))
    return config_path()


def test_the_environment_is_enough(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-hidden")
    found = endpoint("anthropic:a-model:1")
    assert (found.model, found.base_url, found.key) == ("a-model:1", "https://api.anthropic.com", "sk-hidden")
    assert found.is_providers_own
    assert "sk-hidden" not in repr(found)
    assert found.cost(10, 10) is None
    monkeypatch.setenv("OLLAMA_HOST", "10.0.0.1:11434")
    assert endpoint("ollama:m").base_url == "http://10.0.0.1:11434"


def test_a_model_s_own_entry_wins_over_its_provider_s(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text(
        "openai: {base_url: 'http://localhost:8000/v1', price_in: 1, price_out: 4, context_tokens: 32000}\n"
        "openai:big: {price_out: 8, api_key_env: BIG_KEY}\n"
    )
    small = endpoint("openai:small")
    assert (small.key, small.context_tokens, small.is_providers_own) == ("none", 32000, False)
    monkeypatch.setenv("BIG_KEY", "sk-of-big")
    big = endpoint("openai:big")
    assert (big.key, big.cost(1_000_000, 500_000)) == ("sk-of-big", 5.0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "set OPENAI_API_KEY"),
        ("openai: {api_key_env: NOT_SET_HERE}", "NOT_SET_HERE is not set"),
        ("openai: {api_key: sk-hidden, colour: red}", "openai.colour"),
        ("openai: {api_key: sk-hidden, price_in: sk-hidden}", "openai.price_in"),
        ("openai: [sk-hidden", "cannot be read"),
    ],
)
def test_a_bad_setting_is_a_sentence_without_what_stands_in_the_file(
    text: str, said: str, file: Path
) -> None:
    file.write_text(text)
    file.chmod(0o600)
    with pytest.raises(ModelSettingsError, match=said) as caught:
        endpoint("openai:m")
    assert "\n" not in str(caught.value)
    assert "sk-hidden" not in str(caught.value)


def test_a_key_in_a_file_that_others_may_read_is_refused(file: Path) -> None:
    file.write_text("openai: {api_key: sk-hidden}")
    file.chmod(0o644)
    with pytest.raises(ModelSettingsError, match="chmod 600"):
        endpoint("openai:m")
    file.chmod(0o600)
    assert endpoint("openai:m").key == "sk-hidden"


def test_a_name_chooses_its_writer(file: Path, tmp_path: Path) -> None:
    assert isinstance(choose_writer("synth"), SynthWriter)
    made = choose_writer("ollama:m", Asking(drafts=3), tmp_path)
    assert isinstance(made, LLMWriter)
    assert (made.name, made.effort.drafts) == ("ollama:m", 3)
    seeded = choose_writer("synth+ollama:m", Asking(), tmp_path)
    assert isinstance(seeded, LLMWriter)
    assert (seeded.name, seeded.effort.seeded) == ("synth+ollama:m", True)
    (tmp_path / "c.md").write_text("x")
    assert isinstance(choose_writer(f"files:{tmp_path}"), FilesWriter)
    for name in ("openai", "openai:", "files:", "gpt", "synth:x"):
        with pytest.raises(UnknownWriterError, match="files:DIR, openai:MODEL"):
            choose_writer(name)


def test_only_a_model_s_run_can_be_resumed() -> None:
    with pytest.raises(NothingToResumeError, match="run again instead"):
        choose_writer("synth", Asking(resume=True))


@pytest.mark.parametrize("folder", ["empty", "missing"])
def test_a_folder_without_candidates_is_told(folder: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(FolderError):
        FilesWriter(tmp_path / folder)


def test_the_command_in_the_report_asks_the_same_way() -> None:
    request = OptimizeRequest(
        Path("op.py"), writer="openai:m", asking=Asking(drafts=3, max_cost=0.5, resume=True)
    )
    assert request.command().endswith("--writer openai:m --drafts 3 --max-cost 0.5")


def test_packages_that_are_not_there_are_named(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kbgen.generator.writers.llm.chat.find_spec", lambda name: None)
    with pytest.raises(KbgenError, match=r"pip install 'kbgen\[llm\]'"):
        choose_writer("ollama:m", Asking(), tmp_path)
