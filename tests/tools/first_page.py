"""Makes the first page's stored examples anew, after a change of a bundled model or of what a view
shows.

python -m tests.tools.first_page [FILE]
"""

import sys
from pathlib import Path

from ui.frame.example import FILE, make_example, stored_form
from ui.services import make_services


def main(arguments: list[str]) -> None:
    """Writes the file."""
    file = Path(arguments[0]) if arguments else FILE
    services = make_services(offline=True)
    file.write_text(stored_form(services, make_example(services)), encoding="utf-8", newline="\n")
    print(f"{file}: {file.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
