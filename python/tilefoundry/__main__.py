"""The `tilefoundry` command."""

import os
import sys


def main():
    """Runs the command that the package holds, with the same arguments."""
    command = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "tilefoundry")
    os.execv(command, [command, *sys.argv[1:]])


if __name__ == "__main__":
    main()
