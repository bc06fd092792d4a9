#version 330
in vec2 at;
flat in vec3 shape;
flat in vec4 paint;
out vec4 colour;
void main() {
    float d = length(vec2(max(abs(at.x) - shape.x, 0.0), at.y)) - shape.y;
    float soft = fwidth(d);
    float on = smoothstep(soft * 0.7, -soft * 0.7, d);
    if (shape.z > 0.0) on *= smoothstep(0.0, soft / shape.z, abs(fract(at.x / shape.z * 0.5) - 0.5) - 0.25);
    float glow = 0.35 * exp(-max(d, 0.0) / (0.25 * shape.y + 1e-5));
    colour = vec4(paint.rgb, paint.a * max(on, glow));
}
