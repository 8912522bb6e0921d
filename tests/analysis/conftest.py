import pytest

from tiny import SHAPES, make_model


@pytest.fixture(params=list(SHAPES))
def model(request):
    """A model of each kind that a stream can be split in."""
    return make_model(SHAPES[request.param])
