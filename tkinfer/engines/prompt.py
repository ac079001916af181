"""From messages to the token ids that the model is given."""

from collections.abc import Sequence
from typing import Protocol

from actors.engine import ChatMessage
from tkinfer.engines.template import ChatTemplate
from tkinfer.errors import PromptError


class Vocabulary(Protocol):
    """What a prompt needs to know of a model."""

    bos: int
    """-1 if the model has none."""
    bos_text: str
    add_bos: bool
    """Whether the model file asks for a BOS in front of every text."""

    def tokenize(self, text: str) -> list[int]:
        """Token ids; the texts of control tokens become these, and nothing is put in front."""
        ...


def tokens_of_text(vocabulary: Vocabulary, text: str) -> list[int]:
    """Tokenise a rendered prompt, with one BOS where there should be one (case S-5).

    The template may have written it already; the tokenizer is told to add nothing by itself.
    """
    tokens = vocabulary.tokenize(text)
    if vocabulary.add_bos and vocabulary.bos >= 0 and tokens[:1] != [vocabulary.bos]:
        return [vocabulary.bos, *tokens]
    return tokens


def build(
    vocabulary: Vocabulary,
    template: ChatTemplate,
    messages: Sequence[ChatMessage],
    context_size: int,
) -> list[int]:
    """The prompt's tokens: at least one, and fewer than the context has room for.

    Raises:
        PromptError: the template refuses the messages, or they are too long.
    """
    tokens = tokens_of_text(vocabulary, template.render(messages))
    if not tokens:
        what = "There is nothing to answer."
        raise PromptError(what, "Write a message first.")
    if len(tokens) >= context_size:
        what = f"The prompt has {len(tokens)} tokens, the context only {context_size}."
        raise PromptError(what, "Shorten it, or start a new chat.")
    return tokens
