#version 330
in vec3 in_corner;   // of a cube of side 1
in vec3 in_normal;
in vec3 in_centre;
in vec4 in_turn;
in vec3 in_size;
in vec4 in_wood;     // colour, and which number
in vec2 in_kind;     // tint, and a seed for the grain
uniform mat4 seen;
#include turned
#include handed
void main() {
    local = in_corner * in_size;
    vec3 place = in_centre + turned(in_turn, local);
    face = in_normal;
    hand_over(place);
    gl_Position = seen * vec4(place, 1.0);
}
