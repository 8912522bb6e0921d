"""The page of its own that an attention view becomes."""

import json

from ui.lenses.attention.view.attention_view import standalone_page


def test_a_page_of_its_own_cannot_be_broken_out_of_by_its_text():
    page = standalone_page(json.dumps({"text": "</script><script>alert(1)</script>"}), {"0,0": "abc"})
    assert page.count("</script>") == 1 and "\\u003c/script>" in page
    assert "http" not in page.replace("http://www.w3.org", "")
