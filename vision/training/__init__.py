"""Teaches the network: pictures with labels, the net, and the lessons. Needs torch and onnx; reading does not."""
