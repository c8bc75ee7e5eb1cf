"""The plant node: topics, services and pacing around any plant."""
