"""Every sentence of a conversation: questions, opened values, code, diagnoses."""
