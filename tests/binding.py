"""The binding as it comes, but without the one thing in it that is known to crash."""

from typing import Any

import llama_cpp

from tkinfer.engines.llama.api import built_with_amx


def avoid_amx() -> None:
    """Let models that are loaded past our own code keep their weights as they are, as ours do."""
    if not built_with_amx():
        return
    make = llama_cpp.llama_cpp.llama_model_default_params

    def plain() -> Any:
        params = make()
        params.use_extra_bufts = False
        return params

    llama_cpp.llama_cpp.llama_model_default_params = plain
    llama_cpp.llama_model_default_params = plain
