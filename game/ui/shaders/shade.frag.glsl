#version 330
in vec2 uv;
flat in vec3 loss;
uniform sampler2D dark;        // how much light is hidden; laid over the table so that the rest is left
out vec4 colour;
void main() { colour = vec4(texture(dark, uv).r * loss, 1.0); }
