"""The service under load: throughput against its limits, answers meanwhile, memory, streams, long lists."""
