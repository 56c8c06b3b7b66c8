"""Write a language model with random weights and serve it with llama.cpp: `python llama_server.py FOLDER`.

It prints the address of the server and serves until its standard input is closed.
"""

import sys
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import xllamacpp

LAYERS, WIDTH, HEADS, INNER, VOCABULARY = 2, 64, 4, 128, 260
CONTEXT = 8192
TEMPLATE = "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}assistant:"


def write_model(path: Path) -> None:
    """A model that writes random printable letters, for it is told to dislike all others."""
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(VOCABULARY)
    _add_vocabulary(writer)
    _add_weights(writer)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _add_vocabulary(writer: gguf.GGUFWriter) -> None:
    kinds = gguf.TokenType
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), "▁"]
    types = [kinds.UNKNOWN, kinds.CONTROL, kinds.CONTROL, *[kinds.BYTE] * 256, kinds.NORMAL]
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * VOCABULARY)
    writer.add_token_types(types)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_chat_template(TEMPLATE)


def _add_weights(writer: gguf.GGUFWriter) -> None:
    draw = np.random.default_rng(7)

    def weights(rows: int, columns: int, scale: float = 0.1) -> Any:
        return draw.normal(0, scale, (rows, columns)).astype(np.float32)

    def add(name: str, values: Any) -> None:
        writer.add_tensor(name, values)

    embedding = weights(VOCABULARY, WIDTH, 0.5)
    embedding[:, 0] = 4.0
    add("token_embd.weight", embedding)
    for layer in range(LAYERS):
        for name in ("attn_norm", "ffn_norm"):
            add(f"blk.{layer}.{name}.weight", np.ones(WIDTH, dtype=np.float32))
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            add(f"blk.{layer}.{name}.weight", _keeping_the_first(name, weights(WIDTH, WIDTH)))
        for name in ("ffn_gate", "ffn_up"):
            add(f"blk.{layer}.{name}.weight", weights(INNER, WIDTH))
        add(f"blk.{layer}.ffn_down.weight", _keeping_the_first("ffn_down", weights(WIDTH, INNER)))
    add("output_norm.weight", np.ones(WIDTH, dtype=np.float32))
    output = weights(VOCABULARY, WIDTH)
    output[:, 0] = [_liking(token) for token in range(VOCABULARY)]
    add("output.weight", output)


def _keeping_the_first(name: str, values: Any) -> Any:
    if name in {"attn_output", "ffn_down"}:
        values[0, :] = 0.0
    return values


def _liking(token: int) -> float:
    byte = token - 3
    is_letter = 0x20 <= byte < 0x7F and byte not in {0x5C, 0x22}
    return 0.0 if is_letter else -1.0 if byte == 0x22 else -4.0


def main() -> None:
    path = Path(sys.argv[1]) / "random.gguf"
    write_model(path)
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = CONTEXT
    params.n_parallel = 1
    params.use_jinja = True
    params.warmup = False
    params.n_gpu_layers = 0
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)  # noqa: T201 - this is how the test learns of it
    sys.stdin.read()


if __name__ == "__main__":
    main()
