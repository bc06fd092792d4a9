#version 330
#include light
in vec2 in_spot;
uniform mat4 seen;
uniform vec4 area;             // lower left corner and size, m
uniform vec2 part;             // of the map that is in use
uniform vec3 lamp;
out vec2 uv;
flat out vec3 loss;            // of the table's brightness where the whole lamp is hidden
void main() {
    vec2 share = in_spot * 0.5 + 0.5;
    uv = share * part;
    loss = 1.0 - sqrt(SKY / (SKY + KEY * lamp.z));
    gl_Position = seen * vec4(area.xy + share * area.zw, 0.0, 1.0);
}
