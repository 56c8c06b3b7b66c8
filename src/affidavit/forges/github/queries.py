"""What is asked of GitHub over GraphQL, because REST does not tell or cannot do it."""

THREADS = """
query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(first: 50, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes {
          id
          isResolved
          resolvedBy { login }
          comments(first: 1) { nodes { databaseId } }
        }
      }
    }
  }
}
"""

EDITORS = """
query($ids: [ID!]!) {
  nodes(ids: $ids) {
    id
    ... on IssueComment { author { login } editor { login } lastEditedAt }
    ... on PullRequestReview { author { login } editor { login } lastEditedAt }
    ... on PullRequestReviewComment { author { login } editor { login } lastEditedAt }
  }
}
"""

ISSUES = """
query($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      closingIssuesReferences(first: 10) {
        nodes { number title body repository { nameWithOwner } }
      }
    }
  }
}
"""

VIEWER = """
query { viewer { login } }
"""

UNRESOLVE = """
mutation($thread: ID!) {
  unresolveReviewThread(input: {threadId: $thread}) { thread { id isResolved } }
}
"""

RESOLVE = """
mutation($thread: ID!) {
  resolveReviewThread(input: {threadId: $thread}) { thread { id isResolved } }
}
"""
