"""The contract: what a `ReviewResult` is, how a reply is read into one, and how one is written."""
