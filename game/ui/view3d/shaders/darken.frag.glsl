#version 330
in vec2 uv;
flat in vec3 loss;
uniform sampler2D dark;        // how much of the lamp (red) and of the sky (green) is hidden
uniform vec2 weights;          // of them
out vec4 colour;               // laid over the table so that the rest is left
void main() {
    vec2 hidden = texture(dark, uv).rg;
    colour = vec4(dot(hidden * hidden * (3.0 - 2.0 * hidden), weights) * loss, 0.0);
}
