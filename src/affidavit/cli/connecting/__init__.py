"""Commands that bring reviews to forges, editors and agents, and say what works here."""
