#version 330
// A seam of one pixel around the outline of every tile, fading outwards: smooth edges without multisampling.
in vec3 in_start;    // ends of an edge of a cube of side 1
in vec3 in_end;
in vec3 in_one;      // normals of the two faces that meet there
in vec3 in_other;
in vec2 in_where;    // 0 or 1 along the edge, 0 or 1 outwards
in vec3 in_centre;
in vec4 in_turn;
in vec3 in_size;
in vec4 in_wood;
in vec2 in_kind;
uniform mat4 seen;
uniform vec2 pixels; // of the view
out float fade;
#include turned
#include handed
void main() {
    vec3 a = in_start * in_size;
    vec3 b = in_end * in_size;
    local = mix(a, b, in_where.x);
    vec3 place = in_centre + turned(in_turn, local);
    fade = 1.0 - in_where.y;
    bool one = dot(turned(in_turn, in_one), eye - place) > 0.0;
    bool other = dot(turned(in_turn, in_other), eye - place) > 0.0;
    face = one ? in_one : in_other;
    hand_over(place);
    // The outline is on the border of light and shadow; a little inside, it is lit as its face.
    vec3 inside = in_centre + turned(in_turn, local * (1.0 - 0.08 * (1.0 - abs(face))));
    lamp_spot = (to_shadow * vec4(inside + flat_normal * texel * 1.3 + lamp * texel, 1.0)).xyz;
    if (one == other) {
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
        return;
    }
    vec4 p = seen * vec4(in_centre + turned(in_turn, a), 1.0);
    vec4 q = seen * vec4(in_centre + turned(in_turn, b), 1.0);
    vec4 c = seen * vec4(in_centre, 1.0);
    vec2 along = normalize((q.xy / q.w - p.xy / p.w) * pixels);
    vec2 outwards = vec2(-along.y, along.x);
    vec2 middle = (p.xy / p.w + q.xy / q.w) * 0.5 - c.xy / c.w;
    if (dot(outwards, middle * pixels) < 0.0) outwards = -outwards;
    vec4 spot = in_where.x < 0.5 ? p : q;
    spot.xy += outwards * in_where.y * 2.6 / pixels * spot.w;
    spot.z -= 1e-5 * spot.w;
    gl_Position = spot;
}
