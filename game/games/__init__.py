"""The games, a package each; nothing here knows of another game."""
