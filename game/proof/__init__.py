"""The measured pages of the documentation."""
