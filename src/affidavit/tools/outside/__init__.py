"""Tools of servers that the user named: found by searching, described on demand, called within limits."""
