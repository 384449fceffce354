"""`python -m pijit`."""

from pijit.command import main

main()
