#version 330
// Light changes slowly over the table, so it is worked out at the corners of a mesh: each pixel costs one look at the wood.
#include light
in vec2 in_spot;               // -1 to 1 over the mesh
uniform mat4 seen;
uniform vec3 eye;
uniform vec3 lamp;
uniform vec3 pool;             // middle of the lamp's light on the table, and how far it reaches, m
uniform vec3 mesh;             // middle of the mesh and how far it goes, m
uniform vec2 half_size;        // of what is drawn, m
uniform vec2 grain;            // repeats of the picture per metre
uniform float gloss;
uniform float plain;           // 1: high contrast
out vec2 uv;
out vec3 light;
void main() {
    // Finer in the middle, where the eye is.
    vec2 place = clamp(mesh.xy + in_spot * in_spot * in_spot * mesh.z, -half_size, half_size);
    vec2 off = (place - pool.xy) / pool.z;
    float reach = 1.0 / (1.0 + dot(off, off));
    vec3 sum = SKY * (0.35 + 0.65 * reach) + KEY * lamp.z * reach;
    // The lamp shimmers in the varnish, drawn out towards the eye.
    vec3 back = normalize(eye - vec3(place, 0.0));
    float shine = max(normalize(back + lamp).z, 0.0);
    float glance = 1.0 - back.z;
    sum += gloss * KEY * reach * (0.30 * pow(shine, 14.0) + 0.35 * glance * glance);
    light = plain > 0.5 ? vec3(0.16, 0.18, 0.22) : sqrt(sum);
    uv = place * grain;
    gl_Position = seen * vec4(place, 0.0, 1.0);
}
