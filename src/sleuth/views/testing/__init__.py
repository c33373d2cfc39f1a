"""Tests that are run by pytest and recorded: the plugin's work, and `sleuth test`."""
