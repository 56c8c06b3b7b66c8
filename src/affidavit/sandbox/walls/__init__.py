"""The walls themselves, one kind of sandbox a module: a job in, what became of it behind them out."""
