#version 330
in vec3 in_corner;
in vec3 in_centre;
in vec4 in_turn;
in vec3 in_size;
uniform mat4 seen;
#include turned
void main() { gl_Position = seen * vec4(in_centre + turned(in_turn, in_corner * in_size), 1.0); }
