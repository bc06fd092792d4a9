"""Fits of camera, table, material and rig."""
