"""The process that works on one untrusted change, how it is made, and what it says to its worker."""
