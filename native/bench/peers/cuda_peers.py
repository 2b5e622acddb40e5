#!/usr/bin/env python3
"""What PyTorch and transformers reach on this GPU, for the table of cuda_bench.

    cuda_peers.py --out peers.txt [--keep] [--model DIR] [--sequences 64] [--prompt 128] [--generate 128] [--matrix-only]

Writes lines name=number, each as soon as it is known (the last of a name counts): torch_matrix_peak (operations per second of
the best of a few bf16 products) and transformers_tokens_per_s (generated tokens per second of continuous batching, the best of
a few settings, prefill included, capture of graphs and other preparation not). --keep: what the file has stays and is not
measured again. --model: where a random Llama of the 1B shape is written, for transformers and cuda_bench alike. Exit status
77, with one line that says why, where PyTorch, transformers or a GPU is missing or nothing could be measured.
"""
import argparse
import gc
import inspect
import pathlib
import sys
import time

# (rows, outputs, depth): a large square and the products of an 8B model that cuda_bench measures.
MATRICES = ((8192, 8192, 8192), (2048, 28672, 4096), (4096, 28672, 4096), (2048, 4096, 14336))
MEASURED_RUNS = 10
# Kinds of attention transformers is tried with, the fastest first where it is installed; the names with "paged" are those that
# versions before 5 use for continuous batching.
ATTENTIONS = ("flash_attention_2", "paged|flash_attention_2", "sdpa", "paged|sdpa", "sdpa_paged")
# How the manager of continuous batching is kept: since version 5.3 it captures graphs, which takes longer than the run, when it
# is made; one that persists does so once. Without it, and without graphs, where that one gives no results.
MANAGERS = ({"persistent_manager": True}, {"persistent_manager": False, "warmup": False})


class Missing(Exception):
    """Something this script measures is not installed."""


def import_torch():
    """PyTorch with a GPU, or Missing."""
    try:
        import torch
    except ImportError as error:
        raise Missing(f"no PyTorch ({error})") from None
    if not torch.cuda.is_available():
        raise Missing("PyTorch finds no CUDA device")
    return torch


def matrix_peak(torch):
    """Operations per second of the fastest bf16 product, by events on the device, median of several runs."""
    best = 0.0
    for rows, outputs, depth in MATRICES:
        left = torch.randn(rows, depth, device="cuda", dtype=torch.bfloat16)
        right = torch.randn(outputs, depth, device="cuda", dtype=torch.bfloat16).t()
        for _ in range(3):
            torch.matmul(left, right)
        seconds = []
        for _ in range(MEASURED_RUNS):
            begin = torch.cuda.Event(enable_timing=True)
            end = torch.cuda.Event(enable_timing=True)
            begin.record()
            torch.matmul(left, right)
            end.record()
            end.synchronize()
            seconds.append(begin.elapsed_time(end) / 1e3)
        median = sorted(seconds)[len(seconds) // 2]
        rate = 2.0 * rows * outputs * depth / median
        print(f"torch {torch.__version__} matmul {rows} x {outputs} x {depth}: {rate / 1e12:.0f} TFLOP/s", flush=True)
        best = max(best, rate)
        del left, right
    return best


def write_model(torch, transformers, directory):
    """A random Llama of the 1B shape, bf16, made on the GPU."""
    config = transformers.LlamaConfig(
        hidden_size=2048, num_hidden_layers=16, num_attention_heads=32, num_key_value_heads=8, head_dim=64,
        intermediate_size=8192, vocab_size=128256, max_position_embeddings=8192, rms_norm_eps=1e-5,
        tie_word_embeddings=True, bos_token_id=None, eos_token_id=None, pad_token_id=None)
    torch.manual_seed(1)
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.bfloat16)
    try:
        with torch.device("cuda"):
            model = transformers.LlamaForCausalLM(config)
    finally:
        torch.set_default_dtype(before)
    model.save_pretrained(directory, safe_serialization=True)
    del model
    gc.collect()
    torch.cuda.empty_cache()


def load_model(torch, transformers, directory, attention):
    """The model for inference; `dtype` was called torch_dtype before version 4.56."""
    kind = transformers.LlamaForCausalLM
    try:
        model = kind.from_pretrained(directory, dtype=torch.bfloat16, attn_implementation=attention)
    except TypeError:
        model = kind.from_pretrained(directory, torch_dtype=torch.bfloat16, attn_implementation=attention)
    return model.to("cuda").eval()


def prompts_of(sequences, length, vocabulary):
    """The prompts cuda_bench uses."""
    return [[(s * 7919 + i * 31 + 3) % vocabulary for i in range(length)] for s in range(sequences)]


def generate(torch, transformers, model, prompts, count, manager):
    """Seconds and generated tokens of one run of continuous batching."""
    settings = transformers.GenerationConfig(max_new_tokens=count, do_sample=False, use_cache=True)
    settings.eos_token_id = -1  # no token ends a sequence: every sequence is generated in full
    settings.pad_token_id = 0
    settings.max_batch_tokens = 2048  # read by versions before 5
    arguments = {"inputs": prompts, "generation_config": settings}
    known = inspect.signature(model.generate_batch).parameters
    arguments.update({name: value for name, value in {"progress_bar": False, **manager}.items() if name in known})
    torch.cuda.synchronize()
    begin = time.perf_counter()
    with torch.inference_mode():
        outputs = model.generate_batch(**arguments)
    torch.cuda.synchronize()
    seconds = time.perf_counter() - begin
    tokens = 0
    for output in outputs.values():
        if getattr(output, "error", None):
            raise RuntimeError(f"a request failed: {output.error}")
        tokens += len(output.generated_tokens)
    return seconds, tokens


def rate_of(torch, transformers, model, prompts, options, manager, attention):
    """Best generated tokens per second of two runs after a first one of the same size; 0 if not all tokens were generated."""
    best = 0.0
    for run in range(3):
        seconds, tokens = generate(torch, transformers, model, prompts, options.generate, manager)
        full = tokens == options.sequences * options.generate
        print(f"transformers {transformers.__version__}, {attention}, {manager}: {tokens} tokens in {seconds:.2f} s"
              + (", to warm up" if run == 0 else f", {tokens / seconds:.0f} tokens/s") + ("" if full else ": NOT ALL"), flush=True)
        if not full:
            return best
        if run > 0:
            best = max(best, tokens / seconds)
    return best


def continuous_batching(torch, transformers, options, found):
    """Calls `found` with the generated tokens per second of every kind of attention that works here."""
    if not hasattr(transformers.LlamaForCausalLM, "generate_batch"):
        raise Missing(f"transformers {transformers.__version__} has no continuous batching")
    worked = False
    for attention in ATTENTIONS:
        model = None
        try:
            model = load_model(torch, transformers, options.model, attention)
            prompts = prompts_of(options.sequences, options.prompt, model.config.vocab_size)
            for manager in MANAGERS:
                rate = rate_of(torch, transformers, model, prompts, options, manager, attention)
                if hasattr(model, "destroy_cached_continuous_batching_manager"):
                    model.destroy_cached_continuous_batching_manager()
                if rate > 0:
                    found(rate)
                    worked = True
                    break
        except Exception as error:  # a kind of attention that is not installed, or not made for paging
            print(f"transformers, {attention}: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}", flush=True)
        del model
        gc.collect()
        torch.cuda.empty_cache()
        if worked and "sdpa" in attention:
            break
    if not worked:
        raise Missing("no kind of attention worked for continuous batching")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--model", type=pathlib.Path)
    parser.add_argument("--sequences", type=int, default=64)
    parser.add_argument("--prompt", type=int, default=128)
    parser.add_argument("--generate", type=int, default=128)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--matrix-only", action="store_true")
    options = parser.parse_args()
    if not options.keep or not options.out.exists():
        options.out.write_text("")

    def found(name, value):
        with options.out.open("a") as file:
            file.write(f"{name}={value:.6g}\n")

    try:
        torch = import_torch()
        if "torch_matrix_peak=" not in options.out.read_text():
            found("torch_matrix_peak", matrix_peak(torch))
        if options.matrix_only or options.model is None:
            return 0
        try:
            import transformers
        except ImportError as error:
            raise Missing(f"no transformers ({error})") from None
        options.model.mkdir(parents=True, exist_ok=True)
        if not (options.model / "config.json").exists():
            write_model(torch, transformers, options.model)
        best = 0.0

        def better(rate):
            nonlocal best
            best = max(best, rate)
            found("transformers_tokens_per_s", best)

        continuous_batching(torch, transformers, options, better)
        return 0
    except Missing as missing:
        print(f"skipped: {missing}")
        return 77


if __name__ == "__main__":
    sys.exit(main())
