#version 330
in vec2 in_where;    // -1 to 1 along the mark and across it
in vec4 in_ends;     // m
in vec4 in_colour;
in vec2 in_shape;    // half the width, m, and the length of a dash (0: none)
uniform mat4 seen;
out vec2 at;
flat out vec3 shape; // half the length, half the width, dash, m
flat out vec4 paint;
void main() {
    vec2 along = in_ends.zw - in_ends.xy;
    float far = length(along);
    along = far > 1e-6 ? along / far : vec2(1.0, 0.0);
    float room = in_shape.x * 1.6 + 0.001;
    at = in_where * vec2(far * 0.5 + room, room);
    vec2 spot = (in_ends.xy + in_ends.zw) * 0.5 + along * at.x + vec2(-along.y, along.x) * at.y;
    shape = vec3(far * 0.5, in_shape.x, in_shape.y);
    paint = in_colour;
    gl_Position = seen * vec4(spot, 0.0002, 1.0);
}
