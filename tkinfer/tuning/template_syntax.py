"""Whether a chat template can be read: without running any part of it, in the window's process.

The source is only parsed. Compiling it would already compute its constant parts, and
`{{ "x" * 10**10 }}` is one.
"""

from functools import cache
from typing import TYPE_CHECKING, Any, cast

from tkinfer.tables import MAX_TEXT
from tkinfer.tuning.fields import FieldError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jinja2 import Environment


class TemplateSyntaxError(FieldError):
    """A template that can't be used, and the line where that shows, from 1; 0 for none."""

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(f"Line {line}: {reason}" if line else reason)
        self.line = line


def check(source: str) -> None:
    """Read a template as the engine will.

    Raises:
        TemplateSyntaxError: it is empty, too long, or can't be read.
    """
    import jinja2  # 50 ms, which only those need who edit a template
    from jinja2 import nodes

    if not source.strip():
        msg = "The template is empty."
        raise TemplateSyntaxError(msg)
    if len(source) > MAX_TEXT:
        msg = f"At most {MAX_TEXT:,} characters can be used; these are {len(source):,}."
        raise TemplateSyntaxError(msg)
    environment = _environment()
    try:
        tree = environment.parse(source)
    except jinja2.TemplateSyntaxError as error:
        raise TemplateSyntaxError(error.message or "This can't be read.", error.lineno) from error
    except RecursionError as error:
        msg = "The template is nested too deeply."
        raise TemplateSyntaxError(msg) from error
    kinds: Iterator[Any] = tree.find_all((nodes.Filter, nodes.Test))
    for node in kinds:
        is_filter = isinstance(node, nodes.Filter)
        known = environment.filters if is_filter else environment.tests
        if node.name not in known:
            kind = "filter" if is_filter else "test"
            msg = f"There is no {kind} named “{node.name}”."
            raise TemplateSyntaxError(msg, cast("int", node.lineno))


@cache
def _environment() -> "Environment":
    from jinja2 import nodes
    from jinja2.ext import Extension
    from jinja2.parser import Parser
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Generation(Extension):
        """`{% generation %}`, by which training marks answers: its body stands for itself."""

        tags = {"generation"}  # noqa: RUF012 - as Jinja declares it

        def parse(self, parser: Parser) -> nodes.Node | list[nodes.Node]:
            line = next(parser.stream).lineno
            body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
            return nodes.Scope(body, lineno=line)

    return ImmutableSandboxedEnvironment(
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.loopcontrols", Generation],
        autoescape=False,  # as in the engine: a prompt is no HTML
    )
