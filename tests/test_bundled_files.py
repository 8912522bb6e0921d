"""Files of the bundled models are checked against their sums."""

import hashlib

from gptcore import language_model


def test_a_file_that_is_missing_or_another_one_is_named(tmp_path, monkeypatch):
    (tmp_path / "mini").mkdir()
    names = ("config.json", "model.safetensors", "tokenizer.json")
    for name in names:
        (tmp_path / "mini" / name).write_text(name, encoding="utf-8")
    sums = [f"{hashlib.sha256(name.encode()).hexdigest()}  mini/{name}\n" for name in names]
    monkeypatch.setattr(language_model, "BUNDLED", tmp_path)
    assert language_model.damaged_files() == []  # without sums nothing is known
    (tmp_path / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")
    assert language_model.damaged_files() == []
    (tmp_path / "mini" / "config.json").write_text("config.jsoN", encoding="utf-8")
    (tmp_path / "mini" / "tokenizer.json").unlink()
    assert language_model.damaged_files() == ["mini/config.json", "mini/tokenizer.json"]
