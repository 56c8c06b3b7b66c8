"""Logs as JSON, one object a line, each with the review that it speaks of."""

import logging
import sys
from typing import Any

import structlog


def write_logs() -> None:
    """Write what this process and its libraries say to standard error."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*shared, structlog.processors.format_exc_info, structlog.processors.JSONRenderer()],
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[*shared, structlog.stdlib.add_logger_name],
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ],
    )
    writer = logging.StreamHandler(sys.stderr)
    writer.setFormatter(formatter)
    logging.basicConfig(handlers=[writer], level=logging.WARNING, force=True)
