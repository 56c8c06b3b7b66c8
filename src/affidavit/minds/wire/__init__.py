"""From the messages of a conversation to a provider's own protocol, and from its replies back to messages."""
