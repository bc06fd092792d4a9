"""From many pictures to what happened."""
