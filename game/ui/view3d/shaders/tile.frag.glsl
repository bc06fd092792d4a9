#version 330
// One program for each kind of face (FACE 0 broad, 1 side, 2 end), since a software renderer takes every branch.
#include light
in vec3 local;
in vec3 towards;              // the eye, from here
in vec3 lamp_spot;            // place on the shadow map, 0 to 1
in float height;
flat in vec3 face;
flat in vec3 normal_x;        // the tile's own directions
flat in vec3 normal_y;
flat in vec3 normal_z;
flat in vec3 flat_normal;
flat in vec3 size;
flat in vec4 wood;
flat in float seed;
flat in vec4 glaze;           // colour laid over, and how opaque it makes the tile
flat in vec4 amounts;         // of it on the faces and on the edges, brightness, how much the number stays clear
#ifdef FEATHER
in float fade;
#endif
uniform sampler2D grain;
uniform sampler2D numbers;
uniform sampler2D shadow;      // how near to the lamp something is
uniform float side;            // texels of it
uniform float cells;           // across the picture of numbers
uniform vec3 ahead;            // along the table, away from the eye
uniform vec3 lamp;
uniform float plain;
out vec4 colour;

float lit_share() {
    // Nine texels, weighed by how near they are, so that edges are soft and show no steps.
    vec2 spot = lamp_spot.xy * side;
    ivec2 at = ivec2(spot);
    vec2 f = fract(spot) - 0.5;
    vec3 across = vec3(0.5 * (0.5 - f.x) * (0.5 - f.x), 0.75 - f.x * f.x, 0.5 * (0.5 + f.x) * (0.5 + f.x));
    vec3 up = vec3(0.5 * (0.5 - f.y) * (0.5 - f.y), 0.75 - f.y * f.y, 0.5 * (0.5 + f.y) * (0.5 + f.y));
    float share = 0.0;
    for (int row = -1; row <= 1; row++) {
        vec3 near = vec3(texelFetch(shadow, at + ivec2(-1, row), 0).r, texelFetch(shadow, at + ivec2(0, row), 0).r,
                         texelFetch(shadow, at + ivec2(1, row), 0).r);
        share += up[row + 1] * dot(step(vec3(lamp_spot.z), near), across);
    }
    return share;
}

float ink_at(vec2 spot) {
    // spot from -0.5 to 0.5 over the number's cell
    vec2 cell = vec2(mod(wood.a, cells), floor(wood.a / cells));
    vec2 inside = clamp(vec2(spot.x + 0.5, 0.5 - spot.y), 0.01, 0.99);
    return texture(numbers, (cell + inside) / cells).r;
}

void main() {
    vec3 halves = size * 0.5;
    // Across and up the face, half its size, and the neighbours' directions.
#if FACE == 0
    vec2 at = vec2(face.x * local.y, local.z);
    vec2 extent = halves.yz;
    vec3 right = normal_y * sign(local.y);
    vec3 above = normal_z * sign(local.z);
    vec2 uv = local.yz;
#elif FACE == 1
    vec2 at = vec2(-face.y * local.x, local.z);
    vec2 extent = halves.xz;
    vec3 right = normal_x * sign(local.x);
    vec3 above = normal_z * sign(local.z);
    vec2 uv = vec2(local.x + 0.4, local.z);
#else
    // A number on top is turned so that it can be read from where the eye is.
    float way = dot(normal_x, ahead) + 0.4 * (normal_x.x * ahead.y - normal_x.y * ahead.x) < 0.0 ? -1.0 : 1.0;
    vec2 at = vec2(-local.y, local.x) * way;
    vec2 extent = halves.yx;
    vec3 right = normal_y * sign(local.y);
    vec3 above = normal_x * sign(local.x);
    vec2 uv = vec2(local.y, local.x * 3.0);
#endif
    // Wood: the grain runs up the tile.
    float tone = texture(grain, uv * vec2(9.0, 5.0) + vec2(seed, seed * 1.7)).r - 0.5;
    vec3 base = wood.rgb * wood.rgb * (1.0 + 0.55 * tone);
    base = mix(base, vec3(0.90, 0.87, 0.80), plain);
    // Rounded edges: near one the surface leans to the next face.
    vec2 inner = extent - abs(at);
    float width = mix(0.0004 + 0.08 * min(size.x, size.y), 0.0007, plain);
    vec2 lean = clamp(1.0 - inner / width, 0.0, 1.0);
    lean *= lean;
    float rim = max(lean.x, lean.y);
    vec3 normal = normalize(flat_normal + right * (lean.x * 0.95) + above * (lean.y * 0.95));
    // The number, burnt into pale wood, inlaid in dark.
    float engraved = 0.0;
#if FACE != 1 && !defined(FEATHER)
    float pale = max(step(0.46, dot(wood.rgb, vec3(0.3, 0.6, 0.1))), plain);
    vec3 ink = mix(vec3(0.80, 0.66, 0.42), vec3(0.030, 0.014, 0.008), pale) * (1.0 - plain);
#if FACE == 0
    float cell = min(1.62 * extent.x, 1.25 * extent.y);
    float lift = max(0.0, 0.30 * (extent.y - 0.5 * cell));
#else
    float cell = min(2.1 * extent.y, 1.5 * extent.x);
    float lift = 0.0;
#endif
    float blur = fwidth(at.x) + fwidth(at.y);
    float soft = clamp(blur / cell * 7.0, 0.06, 0.48);
    engraved = clamp((ink_at((at - vec2(0.0, lift)) / cell) - 0.5) / (2.0 * soft) + 0.5, 0.0, 1.0);
#if FACE == 0
    // A fine line follows the edge of the face.
    float inset = 0.13 * min(extent.x, extent.y);
    vec2 q = inset * 1.9 - inner;
    float d = abs(length(max(q, 0.0)) + min(max(q.x, q.y), 0.0) - inset * 0.9);
    float thin = 0.012 * extent.x + 0.00008;
    float line = clamp((thin + blur - d) / (2.0 * blur), 0.0, 1.0) * min(1.0, 2.0 * thin / blur);
    engraved = max(engraved, 0.62 * line * (1.0 - plain));
#else
    engraved *= step(0.0, face.z);
#endif
    base = mix(base, ink, engraved * (0.9 + 0.1 * plain));
#endif
    // Light.
    float facing = dot(normal, lamp);
    float free = lit_share() * clamp(facing * 8.0 + 0.16, 0.0, 1.0);
    float open = 1.0 - 0.42 / (1.0 + height * height * 12000.0);
    vec3 lit = base * (mix(GROUND, SKY * 1.4, 0.5 + 0.5 * normal.z) * open + KEY * (max(facing, 0.0) * free));
    vec3 back = normalize(towards);
    float shine = max(dot(normal, normalize(back + lamp)), 0.0);
    float glance = 1.0 - max(dot(normal, back), 0.0);
    shine *= shine;
    shine *= shine;
    shine *= shine;
    float gleam = 0.02 * shine + 0.16 * shine * shine * shine * shine;
    lit += (1.0 - plain) * (((1.0 - 0.7 * engraved) * free * gleam) * KEY + SKY * (0.07 * glance * glance * glance * open));
    lit = mix(lit * amounts.z, glaze.rgb, (amounts.x + amounts.y * rim) * (1.0 - amounts.w * engraved));
    lit *= 1.0 - plain * rim * step(amounts.y, 0.0);
    float alpha = min(1.0, glaze.a + (1.0 - glaze.a) * max(0.6 * rim, 0.9 * engraved));
#ifdef FEATHER
    alpha *= fade;
#endif
    colour = vec4(shown(lit), alpha);
}
