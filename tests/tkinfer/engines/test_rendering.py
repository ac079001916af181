import threading

import pytest

from tkinfer.engines.rendering import Limits, TemplateLimitError, TemplateRefusedError, run_limited
from tkinfer.engines.template import ChatTemplate

SHORT = Limits(seconds=0.05, characters=100_000, memory_bytes=100_000_000)
ENOUGH = Limits(seconds=1, characters=100_000, memory_bytes=100_000_000)
"""For what ends, also on a machine that is busy."""
PATIENT = Limits(seconds=60, characters=100_000, memory_bytes=100_000_000)
"""Time is not what ends these."""


def spin() -> None:
    while True:
        pass


def test_work_without_end_is_ended() -> None:
    with pytest.raises(TemplateLimitError, match=r"within 0\.05 s"):
        run_limited(spin, SHORT)


def test_work_that_grows_is_ended() -> None:
    def grow() -> None:
        held: list[bytes] = []
        while True:
            held.append(b"x" * 1_000_000)

    with pytest.raises(TemplateLimitError, match="memory"):
        run_limited(grow, PATIENT)


def test_an_interruption_lost_in_between_comes_again() -> None:
    def hold() -> None:
        try:
            spin()
        except BaseException:  # noqa: BLE001  as a destructor does
            spin()

    with pytest.raises(TemplateLimitError):
        run_limited(hold, SHORT)


def test_results_and_errors_come_through() -> None:
    assert run_limited(lambda: 7, SHORT) == 7
    with pytest.raises(ZeroDivisionError):
        run_limited(lambda: 1 / 0, SHORT)


def test_nothing_strikes_behind_the_end() -> None:
    """Work that ends just when its time does: either way, the exception is nowhere else."""
    ended = 0
    for _ in range(300):
        limits = Limits(seconds=0.0005)
        try:
            run_limited(lambda: sum(range(9000)), limits)
        except TemplateLimitError:
            ended += 1
        sum(range(100))
    assert 0 <= ended <= 300
    left = [thread for thread in threading.enumerate() if thread.name == "template-watch"]
    for thread in left:
        thread.join(10)
        assert not thread.is_alive()


def test_it_works_on_any_thread() -> None:
    found: list[str] = []

    def work() -> None:
        try:
            run_limited(spin, SHORT)
        except TemplateLimitError as error:
            found.append(str(error))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(30)
    assert len(found) == 1


@pytest.mark.parametrize(
    "source",
    [
        "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
        (
            "{% macro m(n) %}{% for i in range(2) %}{{ m(n - 1) if n }}{% endfor %}{% endmacro %}"
            "{{ m(99) }}"
        ),
        (
            "{% set ns = namespace(x=[]) %}{% for i in range(99999) %}{% set ns.x = [ns.x, i] %}"
            "{% for j in range(99999) %}{% endfor %}{% endfor %}"
        ),
    ],
)
def test_templates_without_end(source: str) -> None:
    template = ChatTemplate(source, ENOUGH)
    with pytest.raises(TemplateLimitError, match="end"):
        template.render([], {})


GROWING = {
    "loop": "{% for a in range(99999) %}{% for b in range(99999) %}more{% endfor %}{% endfor %}",
    "times": "{{ 'x' * 10 ** 10 }}",
    "times list": "{{ [1] * 10 ** 10 }}",
    "times, the other way": "{{ 10 ** 10 * 'x' }}",
    "power": "{{ 10 ** (10 ** 10) }}",
    "factor": "{% set ns = namespace(x=3) %}{% for i in range(99) %}"
    "{% set ns.x = ns.x * ns.x %}{% endfor %}",
    "percent": "{{ '%1000000000d' % 1 }}",
    "percent star": "{{ '%-*d' % (1000000000, 1) }}",
    "precision": "{{ '%.1000000000f' % 1 }}",
    "named percent": "{{ '%(a)1000000000d' | format(a=1) }}",
    "format": "{{ '{:>1000000000}'.format(1) }}",
    "nested format": "{{ '{:>{}}'.format(1, 1000000000) }}",
    "format_map": "{{ '{a:>1000000000}'.format_map({'a': 1}) }}",
    "center": "{{ 'x' | center(1000000000) }}",
    "center by map": "{{ ['x'] | map('center', 1000000000) | join }}",
    "center method": "{{ 'x'.center(1000000000) }}",
    "ljust": "{{ 'x'.ljust(1000000000) }}",
    "zfill": "{{ 'x'.zfill(1000000000) }}",
    "expandtabs": "{{ '\t\t'.expandtabs(1000000000) }}",
    "indent": "{{ 'x\ny' | indent(1000000000) }}",
    "replace": "{{ ('x' * 9999) | replace('x', 'y' * 9999) }}",
    "replace method": "{{ ('x' * 9999).replace('x', 'y' * 9999) }}",
    "join": "{{ range(9999) | join('x' * 9999) }}",
    "join method": "{{ ('x' * 9999).join(['a'] * 999) }}",
    "batch": "{{ [1] | batch(1000000000, 'x') | list }}",
    "slice": "{{ [1] | slice(1000000000) | list }}",
    "round": "{{ 1.5 | round(1000000000, 'ceil') }}",
    "to_bytes": "{{ (5).to_bytes(1000000000, 'big') }}",
    "list": "{{ ('x' * 99999) | list | length }}",
    "split": "{{ ('x ' * 49999).split(' ') | length }}",
    "split at any": "{{ ('x ' * 49999).split() | length }}",
    "tojson": "{{ (['x' * 9999] * 99) | tojson }}",
    "print": "{{ ['x' * 9999] * 99 }}",
    "doubling": "{% set ns = namespace(x='xx') %}{% for i in range(99) %}"
    "{% set ns.x = ns.x + ns.x %}{% endfor %}",
    "doubling by ~": "{% set ns = namespace(x='xx') %}{% for i in range(99) %}"
    "{% set ns.x = ns.x ~ ns.x %}{% endfor %}",
    "doubling in a block": "{% set ns = namespace(x='xx') %}{% for i in range(99) %}"
    "{% set ns.x %}{{ ns.x }}{{ ns.x }}{% endset %}{% endfor %}",
    "doubling in a macro": "{% macro d(s) %}{{ s }}{{ s }}{% endmacro %}"
    "{% set ns = namespace(x='xx') %}{% for i in range(99) %}{% set ns.x = d(ns.x) %}{% endfor %}",
    "doubling list": "{% set ns = namespace(x=[1, 2]) %}{% for i in range(99) %}"
    "{% set ns.x = ns.x + ns.x %}{% endfor %}",
    "a text of shared lists": "{% set ns = namespace(x=[1]) %}{% for i in range(99) %}"
    "{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x }}",
    "a text of a namespace": "{% set ns = namespace(x=[1]) %}{% for i in range(99) %}"
    "{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns }}",
    "recursion": "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
}


@pytest.mark.parametrize("source", GROWING.values(), ids=GROWING.keys())
def test_templates_that_grow(source: str) -> None:
    template = ChatTemplate(source, PATIENT)
    with pytest.raises(TemplateLimitError, match=r"too large|writes more|calls itself"):
        template.render([], {})


@pytest.mark.parametrize(
    "source",
    [
        "{{ lipsum(n=10 ** 6) }}",
        "{{ [[1]] | sum(start=[]) }}",
        "{{ 'x'.translate({120: 'y'}) }}",
    ],
)
def test_what_no_template_needs_is_not_there(source: str) -> None:
    with pytest.raises(TemplateRefusedError):
        ChatTemplate(source, PATIENT).render([], {})


@pytest.mark.parametrize(
    ("source", "right"),
    [
        ("{{ 'a' ~ 1 ~ [2] }}|{{ 'a' + 'b' }}|{{ 'ab' * 2 }}|{{ 2 ** 10 }}", "a1[2]|ab|abab|1024"),
        ("{{ '%s of 2024, %5.2f %%' % ('a', 1) }}", "a of 2024,  1.00 %"),
        ("{{ '{} {:>3}'.format(1, 2) }}", "1   2"),
        ("{{ 'a b'.split() | map('upper') | join('-') }}", "A-B"),
        ("{{ [{'n': 1}, {'n': 2}] | join(',', attribute='n') }}", "1,2"),
        ("{{ 'a\nb' | indent(2) }}{{ 'x' | center(5) }}|", "a\n  b  x  |"),
        ("{{ [1, 2] | sum }}{{ [3, 1] | sort | first }}{{ 2.567 | round(1) }}", "312.6"),
        ("{{ 'aXb' | replace('X', '-') }}{{ 'aXb'.replace('X', '+') }}", "a-ba+b"),
        ("{{ {'a': [1, '<é>']} | tojson }}", '{"a": [1, "<é>"]}'),
        ("{{ [1] | tojson(indent=1) }}{{ 'é' | tojson(ensure_ascii=True) }}", '[\n 1\n]"\\u00e9"'),
        ("{{ '<' | safe ~ '<' | escape }}", "<&lt;"),
        ("{{ [1, 2, 3] | batch(2) | list }}", "[[1, 2], [3]]"),
        ("{% generation %}a{% endgeneration %}b", "ab"),
        (
            "{% for x in ['ab'] %}{{ x.replace('a', 'c').center(4).split() }}{% endfor %}",
            "['cb']",
        ),
        (
            "{% for x in 'a' %}{{ ','.join([x] | map('upper')) }}{{ '{}'.format(x) }}{% endfor %}",
            "Aa",
        ),
        ("{% set x %}a{% endset %}{{ x * 2 }}", "aa"),
        ("{% macro m(a, b='c') %}{{ a }}{{ b }}{% endmacro %}{{ m('x') }}", "xc"),
        ("{{ dict(self=1, obj=2).obj }}", "2"),
    ],
)
def test_what_is_small_works_as_ever(source: str, right: str) -> None:
    assert ChatTemplate(source, PATIENT).render([], {}) == right
