"""LaTeX formulae as readable Unicode: what can't be set is at least written with real signs."""

import functools
import logging
import re
from importlib import import_module
from typing import Any, Final, NoReturn, cast

from tkinfer.markdown import mathswords

_SUPER: Final = {
    **dict(
        zip(
            "0123456789+-=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVWαβγδεθιφχ′∗",  # noqa: RUF001
            "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵅᵝᵞᵟᵋᶿᶥᶲᵡ′*",  # noqa: RUF001
            strict=True,
        )
    ),
    "*": "*",
    "⊤": "ᵀ",  # noqa: RUF001
    "∘": "°",
    "'": "′",  # noqa: RUF001
    "†": "†",
}
_SUB: Final = dict(
    zip(
        "0123456789+-=()aehijklmnoprstuvxβγρφχ",  # noqa: RUF001 - letters of formulae
        "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ",
        strict=True,
    )
)
_RAISED, _LOWERED = "\ue000", "\ue001"
"""Stand for the marks that can't be set small, past a library that has its own idea of them."""
_TWO_WORDS: Final = re.compile(r"\w +\w")
_SPACED: Final = re.compile(
    r"\\(?:arc)?(?:sin|cos|tan)h?\b|\\(?:cot|sec|csc|log|ln|lg|exp|det|dim|ker|gcd|arg|max|min|sup|inf|arg|Pr)\b"
    r"|\\[a-zA-Z]+(?= [<>=+|/-])"
)
"""Names behind which a space is more than their end."""
_DASHES: Final = {"−": "-", "–": "-"}  # noqa: RUF001 - what formulae hold
_SPACES: Final = re.compile(r"[ \t]+")
_TIGHT_RELATION: Final = re.compile(r"(?<= )([←-⇿∈-∍∧-∪∼-⊋⟵-⟿×÷·])(?=[^\s,.;:)\]}^_⁰-\u209f])")  # noqa: RUF001
"""A sign between two sides; LaTeX takes the space behind its name for that name's end."""
MAX_CHARS: Final = 2_000
_MAX_DEPTH: Final = 8


class _UnknownMacroError(ValueError):
    """What it stands for would be missing from the formula."""


@functools.lru_cache(maxsize=512)
def to_unicode(source: str) -> str:
    """A formula without its marks, as text; the source itself where it can't be read.

    An open formula is asked for at each batch that the paragraph around it grows by, hence the
    cache.
    """
    if len(source) > MAX_CHARS or not _balanced(source):
        return source
    try:
        text = _SPACES.sub(" ", _text(mathswords.without_sizes(source), 0)).strip()
        text = _TIGHT_RELATION.sub(r"\1 ", text)
        return text.replace(_RAISED, "^").replace(_LOWERED, "_") or source
    except Exception:  # of a parser whose input is whatever a model has written
        logging.getLogger(__name__).debug("can't read %r", source, exc_info=True)
        return source


def _balanced(source: str) -> bool:
    """Whether each brace has its partner: the library drops what follows one that has none."""
    plain = re.sub(r"\\.", "", source, flags=re.DOTALL)
    return plain.count("{") == plain.count("}")


def _text(source: str, depth: int) -> str:
    return str(_converter().latex_to_text(_scripts(source, depth)))


def _scripts(source: str, depth: int) -> str:
    """Replace what is raised or lowered by small signs, or by brackets where there are none."""
    done: list[str] = []
    at = 0
    while at < len(source):
        char = source[at]
        if named := _SPACED.match(source, at):
            at = named.end()
            space = source[at : at + 1] == " " or source[at : at + 1] == "\\"
            done.append(named[0] + "{} " * space)
        elif char == "\\":  # a macro's name, or an escaped sign
            done.append(source[at : at + 2])
            at += 2
        elif char in "^_" and depth < _MAX_DEPTH and at + 1 < len(source):
            argument, at = _argument(source, at + 1)
            # The braces end a macro's name.
            done.append("{}" + _script(char, _text(argument, depth + 1).strip()))
        else:
            done.append(char)
            at += 1
    return "".join(done)


def _argument(source: str, at: int) -> tuple[str, int]:
    """The group, macro or character at a place, and where it ends."""
    while at < len(source) - 1 and source[at] == " ":
        at += 1
    end = at + 1
    if source[at] == "\\":
        while end < len(source) and source[end].isalpha():
            end += 1
        return source[at : max(end, at + 2)], max(end, at + 2)
    if source[at] != "{":
        return source[at:end], end
    open_groups = 1
    while end < len(source) and open_groups:
        if source[end] == "\\":
            end += 1
        elif source[end] in "{}":
            open_groups += 1 if source[end] == "{" else -1
        end += 1
    return source[at + 1 : end - (0 if open_groups else 1)], end


def _script(mark: str, text: str) -> str:
    small = _SUPER if mark == "^" else _SUB
    plain = "".join(_DASHES.get(char, char) for char in text).replace(" ", "")
    if not _TWO_WORDS.search(text) and all(char in small for char in plain):
        return "".join(small[char] for char in plain)
    shown = _RAISED if mark == "^" else _LOWERED
    return shown + _escaped(text if len(text) == 1 else f"({text})")


def _escaped(text: str) -> str:
    return "".join("\\" + char if char in "\\{}$&#%_^~" else char for char in text)


def _bracketed(text: str) -> str:
    """In brackets, where it would else be read as less than it is."""
    text = text.strip()
    return text if len(text) <= 1 or text.isalnum() else f"({text})"


def _fraction(node: Any, l2tobj: Any) -> str:
    above, below = (_bracketed(_part(node, l2tobj, index)) for index in (0, 1))
    return f"{above}/{below}"


def _root(node: Any, l2tobj: Any) -> str:
    degree, under = (_part(node, l2tobj, index).strip() for index in (0, 1))
    small = "".join(_SUPER.get(char, "") for char in degree)
    return f"{small}√{_bracketed(under)}"


def _choose(node: Any, l2tobj: Any) -> str:
    return f"({_part(node, l2tobj, 0).strip()} choose {_part(node, l2tobj, 1).strip()})"


def _unknown(node: Any) -> NoReturn:
    raise _UnknownMacroError(node.macroname)


def _part(node: Any, l2tobj: Any, index: int) -> str:
    arguments: list[Any] = node.nodeargd.argnlist if node.nodeargd else []
    if index >= len(arguments) or arguments[index] is None:
        return ""
    return str(l2tobj.nodelist_to_text([arguments[index]]))


@functools.cache
def _converter() -> Any:
    """The library's converter, with fractions that keep their meaning."""
    latex2text, latexwalker, macrospec = (  # without types, and not needed before the first formula
        cast("Any", import_module(f"pylatexenc.{name}"))
        for name in ("latex2text", "latexwalker", "macrospec")
    )
    # The library logs what it can't read, at levels meant for people who compile documents.
    logging.getLogger("pylatexenc").setLevel(logging.CRITICAL)
    words = latex2text.get_default_latex_context_db()
    repl: dict[str, Any] = {
        **dict.fromkeys(mathswords.FRACTIONS, _fraction),
        **dict.fromkeys(mathswords.CHOICES, _choose),
        "sqrt": _root,
        **mathswords.SHOWN,
    }
    words.add_context_category(
        "tkinfer",
        prepend=True,
        macros=[latex2text.MacroTextSpec(name, simplify_repl=how) for name, how in repl.items()],
    )
    words.set_unknown_macro_spec(latex2text.MacroTextSpec("", simplify_repl=_unknown))
    grammar = latexwalker.get_default_latex_context_db()
    arguments = {
        **dict.fromkeys((*mathswords.FRACTIONS, *mathswords.CHOICES), 2),
        **mathswords.ARGUMENTS,
    }
    grammar.add_context_category(
        "tkinfer",
        prepend=True,
        macros=[macrospec.std_macro(name, False, count) for name, count in arguments.items()],
    )
    converter = latex2text.LatexNodes2Text(latex_context=words, math_mode="text")
    parse = functools.partial(latexwalker.LatexWalker, latex_context=grammar)

    class Converter:
        """The converter over our grammar."""

        def latex_to_text(self, source: str) -> str:
            nodes = parse(source).get_latex_nodes()[0]
            return str(converter.nodelist_to_text(nodes))

    return Converter()
