"""Read and write pull requests of GitHub over REST and GraphQL."""
