"""Drives the tap and tilt rig over a serial port."""
