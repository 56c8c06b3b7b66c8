"""Speed and memory of Affidavit, as ratios against a named alternative in the same run."""
