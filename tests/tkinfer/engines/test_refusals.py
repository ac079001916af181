import pytest

from tkinfer.engines.refusals import AdapterRefusedError, RefusedError, explain


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
        (
            ["llama_model_load: error loading model: check_tensor_dims: tensor 'a' not found"],
            "llama.cpp can't load x.gguf: tensor 'a' not found.",
        ),
        (
            ["gguf_init: failed", "load: error loading model hyperparameters: key not found: a.b"],
            "llama.cpp can't load x.gguf: key not found: a.b.",
        ),
        (
            ["llama_model_load: error loading model: error loading model hyperparameters: no a.b"],
            "llama.cpp can't load x.gguf: no a.b.",
        ),
        (
            ["load_all_data: tensor 'blk.0.attn_q.weight' has invalid data"],
            "x.gguf is damaged: the weights of blk.0.attn_q.weight hold impossible numbers.",
        ),
        (
            ["init: K cache type q8_0 with block size 32 does not divide n"],
            "x.gguf can't have a KV cache of type q8_0: its blocks don't fill the heads (n).",
        ),
        (
            ["llama_init_from_model: quantized V cache requires flash_attn to be enabled"],
            "x.gguf can't have a KV cache of this type without flash attention.",
        ),
        ([], "llama.cpp can't load x.gguf: no cause given."),
    ],
)
def test_causes_are_named(lines: list[str], words: str) -> None:
    error = explain("/models/x.gguf", RefusedError(lines))
    assert error.what == words
    assert error.next_step
    assert error.detail == "\n".join(lines)


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        ("model arch and LoRA arch mismatch", "it was made for another kind of model"),
        ("LoRA tensor 'a' does not exist in base model (hint)", "it was made for another model"),
        ("something new", "something new"),
    ],
)
def test_an_adapter_is_named_with_its_model(line: str, cause: str) -> None:
    said = f"llama_adapter_lora_init_from_file_ptr: failed to apply lora adapter: {line}"
    error = explain("/models/x.gguf", AdapterRefusedError("/loras/y.gguf", [said]))
    assert error.what == f"The adapter y.gguf can't be used with x.gguf: {cause}."
    assert error.next_step
