"""Settings of the worker; it does not start without a database."""

import os

DATABASE_URL = os.environ["DATABASE_URL"]
QUEUE = os.environ.get("QUEUE", "default")
