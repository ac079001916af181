"""The engine's greedy answers are the binding's own, token for token.

The other side is llama-cpp-python as its documentation shows it: its class `Llama`, its formatter
for chat templates, its tokenizer and its generator, in a process of its own. Both use one thread
and flash attention, and read a prompt in batches of 32, so that llama.cpp rounds the same.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from actors.engine import ChatMessage
from actors.loading import LoadSpec, Switch
from actors.sampling import Sampling
from tests.tkinfer.engines.rig import Rig

pytestmark = [pytest.mark.model, pytest.mark.timeout(300)]

COUNT = 12
BATCH = 32
CONTEXT = 1024

QUESTIONS = (
    "Say hello.",
    "What is the capital of France?",
    "Count from one to ten.",
    "Write a haiku about rain.",
    "def fib(n):\n    if n < 2:\n        return n\n",
    "Translate to German: The ship sails at dawn.",
    "Übersetze: „Grüße aus Köln“, bitte.",
    "鯨は魚ですか。",
    "Was it 🦀 or 👩\u200d💻?",
    "1 + 1 = 2, 2 + 2 = 4, 3 + 3 =",
    "List three colours:\n\n1.",
    '{"name": "Ada", "born":',
    "x" * 60,
    " \n leading and trailing white space \n ",
    "Why do people laugh? " * 6,
    "A question with \t tabs\tand    many  spaces.",
    "NO NEED TO SHOUT!!! ???",
    "<b>bold</b> &amp; <i>italic</i>",
)
CHATS = (
    *([{"role": "user", "content": question}] for question in QUESTIONS),
    [
        {"role": "system", "content": "You answer in one word."},
        {"role": "user", "content": "Is the sea salty?"},
    ],
    [
        {"role": "user", "content": "My name is Ada."},
        {"role": "assistant", "content": "Hello Ada, nice to meet you."},
        {"role": "user", "content": "What is my name?"},
    ],
)

BINDING = """
import json, sys
from llama_cpp import Llama, llama_vocab_is_eog
from llama_cpp.llama_chat_format import Jinja2ChatFormatter
from tests.binding import avoid_amx
avoid_amx()
path, count, batch, context, chats = sys.argv[1], *map(int, sys.argv[2:5]), json.loads(sys.argv[5])
llm = Llama(path, n_ctx=context, n_batch=batch, n_ubatch=batch, n_threads=1, n_threads_batch=1,
            flash_attn=True, verbose=False)
mark = llm._model.token_get_text
formatter = Jinja2ChatFormatter(
    llm.metadata["tokenizer.chat_template"], mark(llm.token_eos()), mark(llm.token_bos())
)
found = []
for chat in chats:
    prompt = llm.tokenize(formatter(messages=chat).prompt.encode(), add_bos=False, special=True)
    llm.reset()
    answer = []
    for token in llm.generate(prompt, temp=0.0):
        if llama_vocab_is_eog(llm._model.vocab, token):
            break
        answer.append(token)
        if len(answer) == count:
            break
    found.append([prompt, answer])
print("\\n" + json.dumps(found))
"""


def test_20_greedy_answers_are_those_of_the_binding(rig: Rig, starter: Path) -> None:
    assert len(CHATS) == 20
    numbers = map(str, (COUNT, BATCH, CONTEXT))
    command = [sys.executable, "-c", BINDING, str(starter), *numbers, json.dumps(CHATS)]
    run = subprocess.run(command, check=True, capture_output=True)
    expected = json.loads(run.stdout.splitlines()[-1])
    rig.load_spec(
        LoadSpec(
            path=str(starter),
            context_size=CONTEXT,
            threads=1,
            batch=BATCH,
            flash_attention=Switch.ON,
        )
    )
    for chat, (prompt, answer) in zip(CHATS, expected, strict=True):
        messages = tuple(ChatMessage(**message) for message in chat)
        end = rig.finished(rig.start(messages, Sampling(temperature=0, max_tokens=COUNT)))
        assert (end.figures.prompt_tokens, list(end.tokens.ids)) == (len(prompt), answer), chat
    lengths = {len(answer) for _, answer in expected}
    assert max(lengths) == COUNT  # some were cut, and not all: ends count, too
    assert min(lengths) < COUNT
