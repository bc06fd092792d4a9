"""What tiles sound like."""
