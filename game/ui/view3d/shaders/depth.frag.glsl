#version 330
uniform vec4 paint;
out vec4 colour;
void main() { colour = paint; }
