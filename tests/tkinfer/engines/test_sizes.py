from tkinfer.engines.llama.sizes import read_sizes

MIB = 1 << 20


def test_a_plain_model_on_the_cpu() -> None:
    log = [
        "llama_context: constructing llama_context",
        "llama_context: n_ctx                 = 8192",
        "llama_context:        CPU  output buffer size =     0.25 MiB",
        "llama_kv_cache:        CPU KV buffer size =     0.00 MiB",
        "llama_kv_cache: size =  180.00 MiB (  8192 cells,  30 layers,  1/1 seqs), K (f16): 90 MiB",
        "sched_reserve:        CPU compute buffer size =    24.50 MiB",
        "sched_reserve: graph nodes  = 937",
    ]
    assert read_sizes(log) == (180 * MIB, int(24.75 * MIB), 0)


def test_a_window_and_a_recurrent_state_add_up() -> None:
    log = [
        "llama_kv_cache_iswa: creating non-SWA KV cache, size = 8192 cells",
        "llama_kv_cache: size =   64.00 MiB (  8192 cells,   5 layers,  1/1 seqs), K (f16): 32 MiB",
        "llama_kv_cache_iswa: creating     SWA KV cache, size = 1024 cells",
        "llama_kv_cache: size =    8.50 MiB (  1024 cells,  29 layers,  1/1 seqs), K (f16): 4 MiB",
        "llama_memory_recurrent:        CPU RS buffer size =     1.50 MiB",
        "llama_memory_recurrent: size =    1.50 MiB (     1 cells,  16 layers), R (f32): 0.50 MiB",
    ]
    cache, ram, gpu = read_sizes(log)
    assert cache == 74 * MIB
    assert ram is None
    assert gpu == 0


def test_buffers_on_gpus_are_told_from_those_in_ram() -> None:
    log = [
        "llama_context:  CUDA_Host  output buffer size =     1.00 MiB",
        "sched_reserve:      CUDA0 compute buffer size =   300.00 MiB",
        "sched_reserve:      CUDA1 compute buffer size =   200.00 MiB",
        "sched_reserve:  CUDA_Host compute buffer size =    20.00 MiB",
        "sched_reserve:        CPU compute buffer size =     4.00 MiB",
    ]
    assert read_sizes(log) == (None, 25 * MIB, 500 * MIB)


def test_lines_of_an_unknown_kind_say_nothing() -> None:
    assert read_sizes(["llama: the cache has 180 MiB", "buffer: 24 MiB", ""]) == (None, None, 0)
