import pytest

from tkinfer.engines.formats import FORMATS, format_for
from tkinfer.engines.template import ChatTemplate

CHAT = [
    {"role": "system", "content": "be brief"},
    {"role": "user", "content": "hi"},
    {"role": "assistant", "content": "yo"},
    {"role": "user", "content": "bye"},
]
RIGHT = {
    "chatml": "<|im_start|>system\nbe brief<|im_end|>\n<|im_start|>user\nhi<|im_end|>\n"
    "<|im_start|>assistant\nyo<|im_end|>\n<|im_start|>user\nbye<|im_end|>\n"
    "<|im_start|>assistant\n",
    "llama3": "<|start_header_id|>system<|end_header_id|>\n\nbe brief<|eot_id|>"
    "<|start_header_id|>user<|end_header_id|>\n\nhi<|eot_id|>"
    "<|start_header_id|>assistant<|end_header_id|>\n\nyo<|eot_id|>"
    "<|start_header_id|>user<|end_header_id|>\n\nbye<|eot_id|>"
    "<|start_header_id|>assistant<|end_header_id|>\n\n",
    "gemma": "<start_of_turn>user\nbe brief\n\nhi<end_of_turn>\n<start_of_turn>model\n"
    "yo<end_of_turn>\n<start_of_turn>user\nbye<end_of_turn>\n<start_of_turn>model\n",
    "mistral": "[INST]be brief\n\nhi[/INST]yo</s>[INST]bye[/INST]",
    "phi": "<|system|>\nbe brief<|end|>\n<|user|>\nhi<|end|>\n<|assistant|>\nyo<|end|>\n"
    "<|user|>\nbye<|end|>\n<|assistant|>\n",
    "zephyr": "<|system|>\nbe brief</s>\n<|user|>\nhi</s>\n<|assistant|>\nyo</s>\n"
    "<|user|>\nbye</s>\n<|assistant|>\n",
    "plain": "be brief\n\nUser: hi\n\nAssistant: yo\n\nUser: bye\n\nAssistant:",
}


def render(name: str, messages: list[dict[str, str]]) -> str:
    return ChatTemplate(FORMATS[name]).render(messages, {"bos_token": "<s>", "eos_token": "</s>"})


@pytest.mark.parametrize("name", FORMATS)
def test_the_built_in_formats(name: str) -> None:
    assert render(name, CHAT) == RIGHT[name]


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("roles", ["s", "a", "uu", "sau", "su", "us", "", "ss"])
def test_they_take_any_conversation(name: str, roles: str) -> None:
    names = {"s": "system", "u": "user", "a": "assistant"}
    messages = [{"role": names[role], "content": f"text{at}"} for at, role in enumerate(roles)]
    rendered = render(name, messages)
    assert all(f"text{at}" in rendered for at in range(len(roles)))


@pytest.mark.parametrize(
    ("control", "right"),
    [
        (["<s>", "<|im_start|>", "<|im_end|>"], ("chatml", True)),
        (["<|im_start|>"], ("chatml", True)),
        (["<|begin_of_text|>", "<|start_header_id|>", "<|eot_id|>"], ("llama3", True)),
        (["<bos>", "<start_of_turn>", "<end_of_turn>"], ("gemma", True)),
        (["[INST]", "[/INST]"], ("mistral", True)),
        (["<|user|>", "<|assistant|>", "<|end|>"], ("phi", True)),
        (["<|user|>", "<|assistant|>"], ("zephyr", True)),
        (["<s>", "</s>"], ("chatml", False)),
        ([], ("chatml", False)),
    ],
)
def test_which_format_a_vocabulary_was_made_for(
    control: list[str], right: tuple[str, bool]
) -> None:
    assert format_for(control) == right
