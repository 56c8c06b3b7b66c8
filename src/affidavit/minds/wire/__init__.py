"""Convert the messages of a conversation to a provider's protocol, and its replies to messages."""
