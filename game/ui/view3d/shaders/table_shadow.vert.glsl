#version 330
in vec4 in_spot;     // over the area of the table from -1 to 1, and how much of the lamp and of the sky is hidden
out vec2 hidden;
void main() {
    hidden = in_spot.zw;
    gl_Position = vec4(in_spot.xy, 0.0, 1.0);
}
