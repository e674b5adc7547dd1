"""pip of the sandbox: wheels that lie here, installed, listed and removed. There is no network.

The commands and what they print are pip's; `python3 -m pip help` tells which there are.
"""

__version__ = "23.0.1"
