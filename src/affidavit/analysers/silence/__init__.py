"""What people asked analysers not to say: comments in the code, and the base commit's configuration."""
