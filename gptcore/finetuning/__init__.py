"""Fine-tuning: the GPT-1 paper's inputs and classifier; instructions and preferences (DPO), which
make an assistant.
"""

from gptcore.finetuning.answering import answers
from gptcore.finetuning.classification import (
    ClassScore,
    EncodedExample,
    LabelledBatches,
    SpecialTokens,
    TaskClassifier,
    classification,
    entailment,
    evaluate_classifier,
    multiple_choice,
    similarity,
)
from gptcore.finetuning.instruction import Instruction, Message, chat_prompt, instructions
from gptcore.finetuning.preference import (
    DirectPreference,
    PreferenceBatches,
    PreferencePair,
    dpo_loss,
    write_pairs,
)
from gptcore.finetuning.supervised import AnswerBatches, AnswerLoss
