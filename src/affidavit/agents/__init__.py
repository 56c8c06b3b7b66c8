"""Agents that ask models."""
