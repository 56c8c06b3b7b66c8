"""Every way to plant a bug, in a fixed order."""

from affidavit.quality.mutation.operators.bounds import BOUNDS
from affidavit.quality.mutation.operators.calls import CALL_OPERATORS
from affidavit.quality.mutation.operators.conditions import CONDITIONS
from affidavit.quality.mutation.operators.failures import FAILURES
from affidavit.quality.mutation.operators.guards import GUARDS
from affidavit.quality.mutation.operators.names import NAME_OPERATORS

OPERATORS = (*CONDITIONS, *GUARDS, *BOUNDS, *CALL_OPERATORS, *FAILURES, *NAME_OPERATORS)
