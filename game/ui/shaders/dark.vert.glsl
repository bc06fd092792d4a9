#version 330
in vec4 in_spot;     // x and y on the map (-1 to 1), depth of the layer, 0 for the lamp or 1 for the sky
uniform vec2 shares; // of one layer of each
flat out float share;
void main() {
    share = in_spot.w < 0.5 ? shares.x : shares.y;
    gl_Position = vec4(in_spot.xyz, 1.0);
}
