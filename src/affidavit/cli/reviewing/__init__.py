"""Commands that review a change and follow it from push to push."""
