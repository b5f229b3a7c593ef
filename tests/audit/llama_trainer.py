"""A trainer file as a person would have it: a small Llama, a model of their own, in the transformers Trainer."""

from typing import Any

import torch
from transformers import LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments

VOCABULARY = 150


def model(world: Any) -> Any:
    sizes = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "num_key_value_heads": 2}
    return LlamaForCausalLM(LlamaConfig(vocab_size=VOCABULARY, attention_dropout=0.0, **sizes))


def build(model: Any, dataset: Any, optimizer: Any, world: Any) -> Any:
    arguments = TrainingArguments(
        world.folder,
        per_device_train_batch_size=world.rows_per_microbatch,
        gradient_accumulation_steps=world.accumulate,
        num_train_epochs=1,
        max_grad_norm=0.0,  # clipping hides common factors
        use_cpu=True,
        ddp_backend="gloo",
        report_to=[],
        save_strategy="no",
        logging_strategy="no",
        disable_tqdm=True,
        remove_unused_columns=False,
    )
    recorded = optimizer(model.parameters())
    schedule = torch.optim.lr_scheduler.LambdaLR(recorded, lambda _: 1.0)
    return Trainer(model=model, args=arguments, train_dataset=dataset, optimizers=(recorded, schedule)).train
