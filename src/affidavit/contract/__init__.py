"""The contract: what a `ReviewResult` is, how any reply is read into one, and how it is written."""
