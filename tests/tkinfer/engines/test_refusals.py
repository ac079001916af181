import pytest

from tkinfer.engines.refusals import RefusedError, explain


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (
            [
                "llama_model_load: error loading model: unknown model architecture: 'nosuch'",
                "llama_model_load_from_file_impl: failed to load model",
            ],
            "x.gguf: architecture nosuch is not supported by this llama.cpp.",
        ),
        (
            ["load: error loading model vocabulary: unknown pre-tokenizer type: 'new'"],
            "x.gguf: tokenizer new is not supported by this llama.cpp.",
        ),
        (
            ["ggml_backend_cpu_buffer_type_alloc_buffer: failed to allocate buffer of size 9"],
            "There is not enough memory for x.gguf.",
        ),
        (
            ["llama_model_load: error loading model: missing tensor 'output.weight'", "later"],
            "llama.cpp can't load x.gguf: missing tensor 'output.weight'.",
        ),
        ([], "llama.cpp can't load x.gguf: no cause given."),
    ],
)
def test_causes_are_named(lines: list[str], words: str) -> None:
    error = explain("/models/x.gguf", RefusedError(lines))
    assert error.what == words
    assert error.next_step
    assert error.detail == "\n".join(lines)
