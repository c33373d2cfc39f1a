"""How many questions find a mutant, with and without pointing at the first wrong output."""
