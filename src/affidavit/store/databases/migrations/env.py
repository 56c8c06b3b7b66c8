"""Run migrations on the connection that is handed over, inside the transaction that it is in."""

from alembic import context

from affidavit.store.databases.schema import METADATA, VERSION_TABLE

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    version_table=VERSION_TABLE,
    # Both databases undo a change of schema; Alembic does not expect that of SQLite.
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
