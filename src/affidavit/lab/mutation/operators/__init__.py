"""Every way to plant a bug: a changed file in, the mutants that it allows out, in a fixed order."""

from affidavit.lab.mutation.operators.bounds import BOUNDS
from affidavit.lab.mutation.operators.calls import CALL_OPERATORS
from affidavit.lab.mutation.operators.conditions import CONDITIONS
from affidavit.lab.mutation.operators.failures import FAILURES
from affidavit.lab.mutation.operators.guards import GUARDS
from affidavit.lab.mutation.operators.names import NAME_OPERATORS

OPERATORS = (*CONDITIONS, *GUARDS, *BOUNDS, *CALL_OPERATORS, *FAILURES, *NAME_OPERATORS)
