"""Why a diagnostic says nothing about the code: a file and what an analyser says of it in, the excuse out."""
