"""Functions of the page's modules answer calls as they did when these were recorded
(`python -m tests.tools.record_script_calls`).
"""

from collections import defaultdict
from functools import partial

import pytest
from answers import load
from called_functions import asked
from stage import served_stage
from stage.scripts import Script, given_by, open_routes, short

from serving import built_page

KEPT = load("script_calls")
OF_MODULE = defaultdict(lambda: defaultdict(list))
for name in KEPT:
    function = name.partition(" ")[0]
    OF_MODULE[function.partition(":")[0]][function].append(name)


@pytest.fixture(scope="module")
def opens(browser):
    """Loads a module by its path."""
    with built_page() as (page, _), served_stage(open_routes()) as address:
        yield partial(Script, browser, address, given_by(page))


@pytest.mark.parametrize("module", OF_MODULE)
def test_a_module_s_functions_answer_as_they_did(module, opens):
    script = opens(module)
    unlike = []
    for function, names in OF_MODULE[module].items():
        found = script.answers(function, [asked(KEPT, name)[1] for name in names])
        for name, answer in zip(names, found, strict=True):
            if answer is None or short(answer) != KEPT[name]["answer"]:
                unlike.append(f"{name}: {KEPT[name]['answer']} was kept, {answer} is answered")
    script.close()
    assert unlike == []
