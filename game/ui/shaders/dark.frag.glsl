#version 330
flat in float share;
out vec4 colour;
void main() { colour = vec4(share); }
