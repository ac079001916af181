"""The fold of all samplers: every field of Sampling under its standard name."""

import tkinter as tk
from collections.abc import Callable, Sequence
from functools import partial
from tkinter import ttk

from actors.sampling import TokenBias
from tkinfer.tuning.escapes import from_line, to_line
from tkinfer.tuning.fields import FieldError
from tkinfer.tuning.sampling_checks import (
    BAN_WORD,
    check_grammar,
    check_schema,
    check_texts,
    read_bias,
    shown_bias,
)
from tkinfer.tuning.sampling_fields import (
    ALTERNATIVES,
    GROUPS,
    LOOKUP,
    STOP,
    Group,
)
from tkinfer.tuning.tuning import Tuning
from tkinfer.ui.panel.choicerow import ChoiceRow
from tkinfer.ui.panel.fieldrow import FieldRow, section
from tkinfer.ui.panel.fieldrows import FieldRows
from tkinfer.ui.panel.pairlist import Pair, PairList
from tkinfer.ui.panel.textrow import TextRow
from tkinfer.ui.popover import Popover
from tkinfer.ui.theme import Theme

_FORMS = ("Free text", "Grammar (GBNF)", "JSON schema")
_FREE, _GRAMMAR, _SCHEMA = _FORMS


class SamplersPage:
    """Fills a frame step by step; `steps` are the parts still to be built, each some 10 ms."""

    def __init__(
        self,
        parent: ttk.Frame,
        theme: Theme,
        popover: Popover,
        tuning: Tuning,
        adopt: Callable[[tk.Misc], None],
    ) -> None:
        self._parent = parent
        self._theme = theme
        self._popover = popover
        self._tuning = tuning
        self._adopt = adopt
        self._fields = FieldRows(theme, tuning)
        self._form: _FormRows | None = None

    def steps(self) -> Sequence[Callable[[], None]]:
        """What builds the page, in order."""
        groups = [partial(self._group, group) for group in GROUPS]
        return [*groups, self._bans, self._end, self._answer_form, self._more]

    @property
    def rows(self) -> Sequence[FieldRow]:
        """Those that are built."""
        return list(self._fields.rows.values()) + (self._form.rows if self._form else [])

    @property
    def fields(self) -> FieldRows:
        """The rows by the names of their fields."""
        return self._fields

    def refresh(self) -> None:
        """Show the values in use."""
        self._fields.refresh()
        if self._form is not None:
            self._form.refresh()

    def _group(self, group: Group) -> None:
        section(self._parent, self._theme, group.label)
        for field in group.fields:
            self._fields.add(self._parent, field)

    def _bans(self) -> None:
        tuning = self._tuning
        section(self._parent, self._theme, "Biases and bans")
        row = PairList(
            self._parent,
            self._theme,
            "Logit bias",
            f"Added to the score of a word; “{BAN_WORD}” forbids it. A space in front counts.",
            lambda pairs: tuning.change(logit_bias=_biases(pairs)),
            partial(tuning.reset, "logit_bias"),
            read_bias,
            (("+ Bias", lambda: ("", "1")), ("+ Ban", lambda: ("", BAN_WORD))),
        )
        row.adopt = self._adopt

        def show() -> None:
            row.show(
                [(to_line(one.text), shown_bias(one.bias)) for one in tuning.sampling.logit_bias]
            )

        self._fields.keep("logit_bias", row, show)

    def _end(self) -> None:
        section(self._parent, self._theme, "The answer")
        self._fields.add(self._parent, STOP)

    def _answer_form(self) -> None:
        self._form = _FormRows(self._parent, self._theme, self._popover, self._tuning)

    def _more(self) -> None:
        section(self._parent, self._theme, "Speed and insight")
        self._fields.add(self._parent, LOOKUP)
        self._fields.add(self._parent, ALTERNATIVES)


class _FormRows:
    """The form an answer must have: free, or a grammar, or a JSON schema. One at a time counts;
    the text of the other stays in its box.
    """

    def __init__(self, parent: tk.Misc, theme: Theme, popover: Popover, tuning: Tuning) -> None:
        self._tuning = tuning
        holder = ttk.Frame(parent)
        holder.pack(fill="x")
        self._choice = ChoiceRow(
            holder, theme, popover, "Form", "Holds every answer to a grammar.", self._choices
        )
        self._choice.pack()
        self._boxes = {
            _GRAMMAR: TextRow(
                holder,
                theme,
                "Grammar",
                "GBNF: rules as “root ::= …”. Checked by the engine before it answers.",
                lambda text: tuning.change(grammar=check_grammar(text)),
                lines=6,
                code=True,
            ),
            _SCHEMA: TextRow(
                holder,
                theme,
                "Schema",
                "The answer is JSON that fits this schema.",
                lambda text: tuning.change(json_schema=check_schema(text)),
                lines=6,
                code=True,
            ),
        }
        self._form = _FREE
        self.refresh()

    @property
    def rows(self) -> list[FieldRow]:
        return [self._choice, *self._boxes.values()]

    def refresh(self) -> None:
        """Show what is in use; with neither, a box stays open while its text can't be used."""
        sampling = self._tuning.sampling
        if sampling.grammar:
            self._form = _GRAMMAR
            self._boxes[_GRAMMAR].show(sampling.grammar)
        elif sampling.json_schema:
            self._form = _SCHEMA
            self._boxes[_SCHEMA].show(sampling.json_schema)
        elif self._form != _FREE and self._boxes[self._form].is_settled():
            self._form = _FREE
        self._show()

    def _show(self) -> None:
        self._choice.show(self._form)
        for form, row in self._boxes.items():
            if form != self._form:
                row.frame.pack_forget()
            elif not row.frame.winfo_manager():
                row.pack()

    def _choices(self) -> Sequence[tuple[str, Callable[[], None]]]:
        return [(form, partial(self._choose, form)) for form in _FORMS]

    def _choose(self, form: str) -> None:
        self._form = form
        sampling = self._tuning.sampling
        text = self._boxes[form].typed() if form in self._boxes else ""
        try:
            grammar = check_grammar(text) if form == _GRAMMAR else ""
            schema = check_schema(text) if form == _SCHEMA else ""
        except FieldError:
            grammar = schema = ""
        if (grammar, schema) != (sampling.grammar, sampling.json_schema):
            self._tuning.change(grammar=grammar, json_schema=schema)
        self._show()


def _biases(pairs: Sequence[Pair]) -> tuple[TokenBias, ...]:
    """The biases that are typed.

    Raises:
        FieldError: a number can't be used, or there are too many.
    """
    check_texts(tuple(text for text, _ in pairs))
    by_text = {from_line(text): read_bias(number) for text, number in pairs}
    return tuple(TokenBias(text=text, bias=bias) for text, bias in by_text.items())
