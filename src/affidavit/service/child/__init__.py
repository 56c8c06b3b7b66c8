"""Run the child process without keys that works on one untrusted change."""
