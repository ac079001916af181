"""Uses a Sampler without the engine around it: a process of its own, since it imports llama.cpp.

`python -m tests.tkinfer.engines.sampler_probe MODEL CHECK` prints what the check found as JSON.
"""

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import llama_cpp as C  # noqa: N812  as in the engine
import numpy as np
import numpy.typing as npt

from actors.sampling import BAN, Sampling, TokenBias
from tests.binding import avoid_amx
from tkinfer.engines.llama import api, chain, sampler
from tkinfer.errors import TkinferError

PROMPT = "Once upon a time there was a ship, and the ship had a captain, and the ship"
SCHEMA = (
    '{"type":"object","properties":{"name":{"type":"string","maxLength":20},'
    '"of":{"enum":["wood","steel"]}},"required":["name","of"]}'
)


class Desk:
    """A model with an empty context."""

    def __init__(self, path: str) -> None:
        api.set_up()
        avoid_amx()
        self.model = C.llama_model_load_from_file(path.encode(), C.llama_model_default_params())
        self.vocab = C.llama_model_get_vocab(self.model)
        params = C.llama_context_default_params()
        params.n_ctx, params.n_threads, params.n_threads_batch = 512, 1, 1
        self.context = C.llama_init_from_model(self.model, params)

    def tokenize(self, text: str) -> list[int]:
        raw = text.encode()
        room = len(raw) + 8
        tokens = (C.llama_token * room)()
        count = C.llama_tokenize(self.vocab, raw, len(raw), tokens, room, False, True)
        return list(tokens[:count])

    def evaluate(self, tokens: Sequence[int]) -> None:
        array = (C.llama_token * len(tokens))(*tokens)
        assert C.llama_decode(self.context, C.llama_batch_get_one(array, len(tokens))) == 0

    def sampler(self, sampling: Sampling, **more: Any) -> sampler.Sampler:
        return sampler.Sampler(
            context=self.context,
            vocab=self.vocab,
            sampling=sampling,
            **{"tokenize": self.tokenize, "seed": 5, "recent": (), **more},
        )

    def answer(self, sampling: Sampling, count: int, **more: Any) -> list[int]:
        """So many tokens at most, behind the prompt in an empty context."""
        C.llama_memory_clear(C.llama_get_memory(self.context), True)
        prompt = self.tokenize(PROMPT)
        self.evaluate(prompt)
        answer: list[int] = []
        with self.sampler(sampling, recent=prompt, **more) as one:
            while len(answer) < count:
                answer.append(one.sample())
                if C.llama_vocab_is_eog(self.vocab, answer[-1]):
                    break
                self.evaluate(answer[-1:])
        return answer


def error_of(call: Callable[[], object]) -> str:
    """The error's class and text, or "none"."""
    try:
        call()
    except TkinferError as error:
        return f"{type(error).__name__}: {error}"
    return "none"


def by_number(text: str) -> list[int]:
    """In place of a tokenizer: any token can be named."""
    return [int(text)] if text.strip() else [0]


def bans(tokens: Iterable[int]) -> tuple[TokenBias, ...]:
    """For `by_number`."""
    return tuple(TokenBias(text=str(token), bias=BAN) for token in tokens)


def alternatives(desk: Desk) -> object:
    desk.evaluate(desk.tokenize(PROMPT))
    size = C.llama_vocab_n_tokens(desk.vocab)
    logits = np.array(C.llama_get_logits_ith(desk.context, -1)[:size], np.float64)
    chances = np.exp(logits - logits.max())
    chances /= chances.sum()
    best = np.argsort(-chances, kind="stable")[:3]
    with desk.sampler(Sampling(temperature=0, alternatives=3)) as one:
        before, plain = one.alternatives(), one.sample()
        found = one.alternatives()
    banned = Sampling(temperature=0, alternatives=3, logit_bias=bans([plain]))
    with desk.sampler(banned, tokenize=by_number) as one:
        other, still = one.sample(), one.alternatives()
    with desk.sampler(Sampling(alternatives=0)) as one:
        one.sample()
        none = one.alternatives()
    expected = [[int(token), float(chances[token])] for token in best]
    return {
        "before": before,
        "expected": expected,
        "found": found,
        "still": still,
        "sampled": [plain, other],
        "none": none,
    }


def refusals(desk: Desk) -> object:
    greedy = Sampling(temperature=0)
    varied = Sampling(temperature=1, top_k=0)
    errors = {"before": error_of(lambda: desk.sampler(greedy).sample())}
    tokens = desk.tokenize(PROMPT)
    desk.evaluate(tokens)
    errors["inner"] = error_of(lambda: desk.sampler(greedy).sample(2))
    errors["far"] = error_of(lambda: desk.sampler(varied).sample(100_000))
    errors["last"] = error_of(lambda: desk.sampler(varied).sample(len(tokens) - 1))
    one = desk.sampler(varied)
    one.close()
    one.close()
    errors["closed"] = error_of(one.sample)
    pointer = C.llama_get_logits_ith(desk.context, -1)
    pointer[3] = float("nan")
    errors["nan"] = error_of(lambda: desk.sampler(varied).sample())
    return errors


def banned(desk: Desk) -> object:
    desk.evaluate(desk.tokenize(PROMPT))
    size, left = C.llama_vocab_n_tokens(desk.vocab), 77
    everything = Sampling(logit_bias=bans(range(size)))
    but_one = Sampling(logit_bias=bans(token for token in range(size) if token != left))
    with desk.sampler(but_one, tokenize=by_number) as one:
        token = one.sample()
    refused = error_of(lambda: desk.sampler(everything, tokenize=by_number))
    return {"all": refused, "but_one": token, "left": left}


def most_typical(logits: npt.NDArray[np.float64]) -> int:
    """The token whose information is next to the entropy, of those that are possible."""
    possible = np.flatnonzero(np.isfinite(logits))
    chances = np.exp(logits[possible] - logits.max())
    chances /= chances.sum()
    information = -np.log(chances)
    entropy = float((chances * information).sum())
    return int(possible[np.abs(information - entropy).argmin()])


def typical(desk: Desk) -> object:
    """With typical_p at 0 one token is left. Impossible ones must not count in the entropy."""
    desk.evaluate(desk.tokenize(PROMPT))
    size = C.llama_vocab_n_tokens(desk.vocab)
    logits = np.array(C.llama_get_logits_ith(desk.context, -1)[:size], np.float64)
    order = np.argsort(-logits)
    base = Sampling(temperature=1, top_k=0, top_p=1, min_p=0, typical_p=0)
    found: list[int] = []
    expected: list[int] = []
    for banned in ([], order[:1], order[5:40], order[size // 2 :], [most_typical(logits)]):
        left = logits.copy()
        left[list(banned)] = -np.inf
        with desk.sampler(replace(base, logit_bias=bans(banned)), tokenize=by_number) as one:
            found.append(one.sample())
        expected.append(most_typical(left))
    left = np.where(logits >= logits.max() - logits.std(), logits, -np.inf)
    with desk.sampler(replace(base, top_n_sigma=1)) as one:
        found.append(one.sample())
    return {"found": found, "expected": [*expected, most_typical(left)]}


def shortened(desk: Desk) -> object:
    """Answers with the list shortened before the penalties, and without."""
    penalties = {"repeat_penalty": 1.3, "presence_penalty": 0.5, "frequency_penalty": 0.2}
    cases = (
        Sampling(temperature=0, **penalties),
        Sampling(temperature=1.5, min_p=0, top_p=1, **penalties),
        Sampling(
            temperature=1, top_k=20, repeat_last_n=40, dry_multiplier=1, dry_penalty_last_n=40
        ),
    )
    short = [desk.answer(case, 60) for case in cases]
    chain.SHORT = 0  # pyright: ignore[reportAttributeAccessIssue]
    return {"short": short, "whole": [desk.answer(case, 60) for case in cases]}


def short_grammar(desk: Desk) -> object:
    """Greedy JSON with only the likeliest tokens shown to the grammar first, and with all."""
    case = Sampling(temperature=0, json_schema=SCHEMA, repeat_penalty=1.1)
    short = desk.answer(case, 40)
    sampler._SHORT_LIST = 0  # pyright: ignore[reportAttributeAccessIssue]
    return {"short": short, "whole": desk.answer(case, 40)}


def mirostat(desk: Desk) -> object:
    """Digits only: by a grammar, and by bans of all other tokens."""
    case = Sampling(temperature=1, mirostat=True, mirostat_tau=2, mirostat_eta=0.5)
    digits = {desk.tokenize(digit)[0] for digit in "0123456789"}
    others = bans(
        token for token in range(C.llama_vocab_n_tokens(desk.vocab)) if token not in digits
    )
    return {
        "grammar": desk.answer(replace(case, grammar="root ::= [0-9]{100}"), 40),
        "banned": desk.answer(replace(case, logit_bias=others), 40, tokenize=by_number),
    }


def continued(desk: Desk) -> object:
    desk.evaluate(desk.tokenize(PROMPT))
    sampling = Sampling(temperature=0, grammar='root ::= "Q!Z"')
    with desk.sampler(sampling, answered=desk.tokenize("Q!")) as one:
        token = one.sample()
    wrong = error_of(lambda: desk.sampler(sampling, answered=desk.tokenize("Z")))
    return {"next": [token], "expected": desk.tokenize("Z"), "wrong": wrong}


CHECKS = {
    check.__name__: check
    for check in (
        alternatives,
        refusals,
        banned,
        typical,
        shortened,
        short_grammar,
        mirostat,
        continued,
    )
}

if __name__ == "__main__":
    print(json.dumps(CHECKS[sys.argv[2]](Desk(sys.argv[1]))))  # noqa: T201
