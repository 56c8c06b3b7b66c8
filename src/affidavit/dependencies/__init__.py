"""Read and search the sources of installed packages, without running them."""
