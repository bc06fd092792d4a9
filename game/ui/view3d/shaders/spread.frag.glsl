#version 330
in vec2 uv;
uniform sampler2D picture;
out vec4 colour;
void main() { colour = texture(picture, uv); }
