import pytest

from actors.turn import Channel
from tkinfer.engines.markers import BY_OPEN, opened_by
from tkinfer.engines.reasoning import ReasoningSplitter

PAIRS = [(marker.open, marker.label, marker.close) for marker in BY_OPEN.values()]


class Control(str):
    """The text of a control token."""

    __slots__ = ()


def split(*pieces: str, opened: str = "", alone: bool = False) -> tuple[str, str]:
    """Reasoning and answer of these pieces, or of their single characters."""
    splitter = ReasoningSplitter(opened)
    texts = dict.fromkeys(Channel, "")
    chunks = []
    for piece in pieces:
        if isinstance(piece, Control):
            chunks += splitter.control(piece)
            continue
        for part in piece if alone else [piece]:
            chunks += splitter.feed(part)
    chunks += splitter.finish()
    for channel, text in chunks:
        texts[channel] += text
    assert splitter.held == 0
    assert splitter.emitted == sum(map(len, texts.values()))
    return texts[Channel.REASONING], texts[Channel.ANSWER]


def check(pieces: list[str], reasoning: str, answer: str, opened: str = "") -> None:
    assert split(*pieces, opened=opened) == (reasoning, answer)
    assert split(*pieces, opened=opened, alone=True) == (reasoning, answer)


@pytest.mark.parametrize(("opener", "label", "closer"), PAIRS)
def test_every_pair_as_text(opener: str, label: str, closer: str) -> None:
    name = label and label + "\n"
    check([f"{opener}{name}\nplan b\n{closer}\n\n42"], "plan b", "42")
    check([f" \n{opener}{name}plan"], "plan", "")
    check([f"{opener}{name}{closer}42"], "", "42")


@pytest.mark.parametrize(("opener", "label", "closer"), PAIRS)
def test_every_pair_as_control_tokens(opener: str, label: str, closer: str) -> None:
    name = [label + "\n"] if label else []
    pieces = [Control(opener), *name, "\nplan", " b\n", Control(closer), "\n\n", "42"]
    check(pieces, "plan b", "42")
    check([" \n", *pieces], "plan b", "42")


@pytest.mark.parametrize(("opener", "label", "closer"), PAIRS)
def test_every_pair_opened_by_the_prompt(opener: str, label: str, closer: str) -> None:
    opened = opened_by(f"<|user|>hi<|assistant|>{opener}{label}\n")
    assert opened == opener + label
    check([f"plan{closer}42"], "plan", "42", opened)
    check([f"\n{closer}42"], "", "42", opened)
    check(["plan ", Control(closer), "42"], "plan", "42", opened)


TEXTS = {
    "quoted within the answer": ("a <think>b</think> c", "", "a <think>b</think> c"),
    "a similar word": ("<thinker>b", "", "<thinker>b"),
    "quoted after the reasoning": (
        "<think>p</think>say <think>b</think>",
        "p",
        "say <think>b</think>",
    ),
    "a second block of text": ("<think>p</think><think>b</think>", "p", "<think>b</think>"),
    "closed, never opened": ("plan</think>\n42", "", "plan</think>\n42"),
    "the pair of another": ("<think>a</thinking>b", "a</thinking>b", ""),
    "a closing marker begun twice": ("<think>a</</think>b", "a</", "b"),
    "a closing marker not ended": ("<think>a</thi", "a</thi", ""),
    "an opening marker not ended": ("<thi", "", "<thi"),
    "white space and no more": (" \n ", "", " \n "),
    "leading white space of an answer": (" \n  b", "", " \n  b"),
    "white space within": ("<think>a\n\n b</think>c \n d ", "a\n\n b", "c \n d "),
    "white space at the end": ("<think>a\n", "a\n", ""),
    "wide white space": ("<think>\u3000a\u3000</think>\u3000b", "a", "b"),
    "response frame": (
        "<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>b<|END_RESPONSE|>",
        "a",
        "b",
    ),
    "response frame alone": ("<|START_RESPONSE|>b <|END_ c", "", "b <|END_ c"),
    "solution frame": (
        "<|begin_of_thought|>\na\n<|end_of_thought|>\n\n<|begin_of_solution|>\nb<|end_of_solution|>",
        "a",
        "b",
    ),
    "messages": ("<|think|>a<|end|><|begin|>assistant<|content|>b", "a", "b"),
    "messages, no header": ("<|think|>a<|end|><|content|>b", "a", "b"),
    "messages, headless": ("<|think|>a<|end|> b", "a", "b"),
    "harmony": (
        "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b",
        "a",
        "b",
    ),
    "harmony, final only": ("<|channel|>final<|message|>b", "", "b"),
    "harmony, unclosed": ("<|channel|>analysis<|message|>a <|en", "a <|en", ""),
    "harmony, cut in a header": ("<|channel|>analysis<|message|>a<|end|><|start|>assi", "a", ""),
    "gemma without a label": ("<|channel>thoughtful<channel|>b", "thoughtful", "b"),
    "gemma, cut in the label": ("<|channel>thought", "", ""),
}


@pytest.mark.parametrize("name", TEXTS)
def test_text(name: str) -> None:
    text, reasoning, answer = TEXTS[name]
    check([text], reasoning, answer)


START, CHANNEL, MESSAGE, END = map(Control, ("<|start|>", "<|channel|>", "<|message|>", "<|end|>"))


def test_harmony_messages() -> None:
    header = [CHANNEL, "comment", "ary to=functions.f ", Control("<|constrain|>"), "json", MESSAGE]
    pieces = [CHANNEL, "analysis", MESSAGE, "a", END, START, "assistant", *header, "{}", END]
    pieces += [START, "assistant", CHANNEL, "final", MESSAGE, " b", Control("<|return|>")]
    check(pieces, "a\n\n{}", "b")


def test_harmony_in_control_tokens_takes_the_same_text_for_a_quotation() -> None:
    pieces = [CHANNEL, "analysis", MESSAGE, "say <|end|> now", END, START, "assistant"]
    check([*pieces, CHANNEL, "final", MESSAGE, "b"], "say <|end|> now", "b")


def test_harmony_opened_by_the_prompt() -> None:
    opened = opened_by("<|start|>assistant<|channel|>analysis<|message|>")
    assert opened
    check(["a", END, START, "assistant", CHANNEL, "final", MESSAGE, "b"], "a", "b", opened)


def test_harmony_goes_back_from_answer_to_reasoning() -> None:
    final = [CHANNEL, "final", MESSAGE]
    pieces = [*final, "b ", END, CHANNEL, "analysis", MESSAGE, "a", END, *final, "c"]
    check(pieces, "a", "b \n\nc")


def test_a_header_that_is_none_hides_no_text() -> None:
    check(
        [CHANNEL, "analysis", " We need\nto", END, CHANNEL, "final", MESSAGE, "b"],
        "We need\nto",
        "b",
    )
    reasoning, answer = split(CHANNEL, "analysis ", "long " * 40)
    assert (reasoning, answer) == ("long " * 40, "")
    check([CHANNEL, "analysis ", "long " * 40], "long " * 40, "")


def test_channel_tokens_count_in_the_middle_of_an_answer() -> None:
    pieces = ["b", Control("<|channel>"), "thought\n", "a", Control("<channel|>"), "c"]
    check(pieces, "a", "b\n\nc")


def test_other_opening_tokens_do_not_and_are_not_shown() -> None:
    check(["b", Control("[THINK]"), "a", Control("[/THINK]"), "c"], "", "bac")


def test_a_control_token_opens_a_second_block_before_the_answer() -> None:
    think, close = Control("[THINK]"), Control("[/THINK]")
    check([think, "a", close, think, "b", close, "c"], "a\n\nb", "c")


def test_a_message_token_in_the_middle_of_an_answer_hides_no_text() -> None:
    begin = Control("<|begin|>")
    check([Control("<|think|>"), "a", END, "b ", begin, "c"], "a", "b c")


def test_other_control_tokens_are_not_shown() -> None:
    eot = Control("<|eot|>")
    check(
        [eot, " ", eot, "<think>", eot, "a ", eot, "b", eot, "</think>", eot, "c", eot], "a b", "c"
    )


def test_a_control_token_breaks_a_marker() -> None:
    check(["<th", Control("<|eot|>"), "ink>a"], "", "<think>a")
    check(["<think>a </th", Control("<|eot|>"), "ink>b"], "a </think>b", "")


@pytest.mark.parametrize("again", [["<think>\n"], [" <thi", "nk>"], [Control("<think>")]])
def test_a_marker_that_repeats_the_prompt_is_not_shown(again: list[str]) -> None:
    check([*again, "a</think>b"], "a", "b", "<think>\n")


def test_a_marker_later_in_the_reasoning_is_text() -> None:
    check(["a <think></think>b"], "a <think>", "b", "<think>")


def test_an_unknown_marker_of_the_prompt_is_closed_by_its_like() -> None:
    check(["a</ponder>b"], "a", "b", "<ponder>")
    check(["a[/PONDER]b"], "a", "b", "[PONDER]")


def test_white_space_in_front_of_a_marker_that_never_comes_is_shown_once() -> None:
    splitter = ReasoningSplitter("<think>")
    splitter.feed("a")
    assert splitter.feed("\n </th") == []
    assert splitter.held == len("\n </th")
    assert splitter.feed("e") == [(Channel.REASONING, "\n </the")]
    assert splitter.held == 0


@pytest.mark.parametrize(
    "prompt",
    ["", "hi", "<think>\n\n</think>\n\n", "<|channel>thought\n<channel|>", "what is <think> for?"],
)
def test_prompts_that_open_nothing(prompt: str) -> None:
    assert opened_by(prompt) == ""


def test_reasoning_says_where_we_are() -> None:
    splitter = ReasoningSplitter()
    states = []
    for piece in ["<th", "ink>", "a", "</think>", "b"]:
        splitter.feed(piece)
        states.append(splitter.reasoning)
    assert states == [False, True, True, False, False]
    assert ReasoningSplitter("<think>").reasoning
