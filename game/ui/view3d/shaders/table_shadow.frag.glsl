#version 330
in vec2 hidden;
out vec4 colour;
void main() { colour = vec4(hidden, 0.0, 1.0); }
