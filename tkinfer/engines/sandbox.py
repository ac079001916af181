"""The Jinja environment for chat templates: a sandbox in which nothing can grow without bound.

Jinja's own sandbox keeps a template from reaching anything, but lets it build gigabytes in one
operation: `'x' * 10**10`, `'%1000000000d' % 1`, `'x' | center(10**10)`, a doubling text. Here each
operation, filter and method that can do so is looked at first. What no chat template needs and
what is slow in C code on long texts is not there: wordwrap, urlize, pprint and their like.
"""

import json
from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, NoReturn, cast

from jinja2 import Environment, nodes
from jinja2.ext import Extension
from jinja2.sandbox import ImmutableSandboxedEnvironment

from tkinfer.engines.growth import Bounds
from tkinfer.engines.rendering import TemplateRefusedError

if TYPE_CHECKING:
    from jinja2.parser import Parser
    from jinja2.runtime import Context

_NOT_THERE: Final = (
    "filesizeformat",
    "pprint",
    "random",
    "striptags",
    "urlize",
    "wordcount",
    "wordwrap",
    "xmlattr",
)
_JINJAS_OWN: Final = ("_loop_vars", "_block_vars")
"""Arguments that Jinja adds to calls inside loops and blocks."""
_MOST_INDENT: Final = 100


class GenerationTag(Extension):
    """`{% generation %}` marks what a model is trained on; for a prompt it does nothing."""

    tags = {"generation"}  # noqa: RUF012  declared so by Jinja

    def parse(self, parser: "Parser") -> list[nodes.Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


class BoundedEnvironment(ImmutableSandboxedEnvironment):
    """Compiles templates; `most` bounds the characters of any text that they build.

    What goes over the bounds raises TemplateLimitError.
    """

    intercepted_binops = frozenset(("+", "*", "**", "%"))

    def __init__(self, most: int) -> None:
        self._bounds = bounds = Bounds(most)
        super().__init__(
            trim_blocks=True,
            lstrip_blocks=True,
            extensions=["jinja2.ext.loopcontrols", GenerationTag],
            # Off: it would write &lt; into prompts, which are no HTML.
            autoescape=False,
            finalize=bounds.printable,
        )
        own = self.__dict__
        own["concat"] = bounds.joined  # macros and block assignments build their text with it
        functions = cast("dict[str, Any]", self.globals)
        del functions["lipsum"]
        functions.update(raise_exception=_raise_exception, strftime_now=strftime_now)
        self._bound_filters()

    def compile_bounded(self, source: str) -> Any:
        """A template whose `~` is bounded too; that operator can't be intercepted otherwise."""
        template = self.from_string(source)
        names = template.root_render_func.__globals__
        names["str_join"] = names["markup_join"] = self._bounds.joined
        return template

    def call_binop(self, context: "Context", operator: str, left: Any, right: Any) -> Any:
        """Do an operation of which the result may be larger than its operands."""
        self._bounds.operation(operator, left, right)
        return super().call_binop(context, operator, left, right)

    def call(self, context: "Context", obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call a function or method, if its result can be bounded."""
        named = {name: kwargs[name] for name in kwargs if name not in _JINJAS_OWN}
        args = self._bounds.method(obj, args, named)
        return self._bounds.result(super().call(context, obj, *args, **kwargs))

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        """The sandboxed form of `str.format`, for formats that ask for no great widths."""
        inner = super().wrap_str_format(value)
        if inner is None:
            return None

        def bounded(*args: Any, **kwargs: Any) -> str:
            self._bounds.format(value.__self__, args, kwargs)
            return self._bounds.result(inner(*args, **kwargs))

        return bounded

    def _bound_filters(self) -> None:
        bounds, filters = self._bounds, self.filters
        for name in _NOT_THERE:
            del filters[name]
        for name, check in bounds.filters.items():
            filters[name] = _checked(filters[name], check, bounds)
        filters["join"] = _pass_environment(self._join)
        filters["tojson"] = self._to_json
        filters["safe"] = filters["string"]  # no markup: its methods would need bounds as well

    def _join(self, _: Environment, value: Any, d: Any = "", attribute: Any = None) -> str:
        if attribute is not None:
            from jinja2.filters import make_attrgetter

            value = map(make_attrgetter(self, attribute), value)
        return self._bounds.joined(value, str(d))

    def _to_json(
        self,
        value: Any,
        indent: int | str | None = None,
        *,
        ensure_ascii: bool = False,
        separators: tuple[str, str] | None = None,
        sort_keys: bool = False,
    ) -> str:
        # Jinja's own filter escapes < and & for HTML.
        if indent is not None:
            indent = indent[:_MOST_INDENT] if isinstance(indent, str) else min(indent, _MOST_INDENT)
        encoder = json.JSONEncoder(
            ensure_ascii=ensure_ascii,
            indent=indent,
            separators=separators,
            sort_keys=sort_keys,
        )
        return self._bounds.joined(encoder.iterencode(value))


def _pass_environment(function: Callable[..., Any]) -> Callable[..., Any]:
    from jinja2 import pass_environment

    @pass_environment
    def passed(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return passed


def _checked(
    function: Callable[..., Any], check: Callable[..., None], bounds: Bounds
) -> Callable[..., Any]:
    # `wraps` also copies the mark by which Jinja passes its environment as the first argument.
    passed = 1 if hasattr(function, "jinja_pass_arg") else 0

    @wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        check(*args[passed:], **kwargs)
        return bounds.result(function(*args, **kwargs))

    return checked


def _raise_exception(message: object = "") -> NoReturn:
    raise TemplateRefusedError(str(message))


def strftime_now(form: str) -> str:
    """The present time on this computer's clock, as templates ask for it."""
    return datetime.now().astimezone().strftime(form)
