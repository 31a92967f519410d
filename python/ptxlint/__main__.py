"""python -m ptxlint: the program."""
from ._program import main

main()
