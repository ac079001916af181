"""Texts for the law of the renderer: a page of every construct, and random mixtures."""

import itertools

from hypothesis import strategies as st

PAGE = """# Title *here*

A paragraph with **bold**, *em*, ~~gone~~, `code`, snake_case_name and https://example.org.
Its second line, &amp; an entity, <b>html</b>, \\(x^2\\) and [a link](https://example.org "t").

Setext
------

1. one
   - nested
     > quoted
2. two
- [x] done
- [ ] open

> quote
lazy

````python
```
def f(): return "x"
````

    indented

| a | b |
|:-:|--:|
| 1 | `2` |
| 字 | 😀 |

$$
\\frac{1}{2}
$$
\\[E = mc^2\\]
Behind it.

***

<div>
html
</div>

[ref]: https://example.org
See [ref].

```js
unclosed /* comment
"""
LINES = st.sampled_from([*PAGE.splitlines(keepends=True), "\r\n", "\t x\n", "- \n", "```\n", "|\n"])
LOOSE = st.text(alphabet="a *_`~#>-+1.)|:$\\[]()<!\n\r\té字😀\u0301", max_size=40)
TEXTS = st.lists(LINES | LOOSE, max_size=14).map("".join)


def cut(text: str, places: list[int]) -> list[str]:
    bounds = [0, *sorted(place % (len(text) + 1) for place in places), len(text)]
    return [text[start:end] for start, end in itertools.pairwise(bounds)]
