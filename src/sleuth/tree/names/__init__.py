"""Names of calls and values as a person knows them."""
