"""The table in three dimensions."""
