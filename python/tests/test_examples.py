"""The examples in Python run, and find what they should."""

import pathlib
import runpy

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"


def test_attention_heads(capsys):
    runpy.run_path(str(EXAMPLES / "07_attention.py"))
    printed = capsys.readouterr().out
    assert "bright looks at night (1.00)" in printed, "the rhyme"
    assert "symmetry looks at thy (1.00)" in printed
    assert printed.count("looks at") == 12, "each last word of four lines, by three heads"
