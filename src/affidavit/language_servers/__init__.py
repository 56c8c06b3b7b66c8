"""Language servers: programs that know types, asked about a temporary checkout."""
