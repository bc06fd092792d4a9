"""Rigs in software, and lines with faults."""
