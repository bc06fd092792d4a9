#version 330
in vec2 in_spot;
out vec2 uv;
void main() {
    uv = in_spot * 0.5 + 0.5;
    gl_Position = vec4(in_spot, 0.0, 1.0);
}
