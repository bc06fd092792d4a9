#version 330
in vec2 uv;
in vec3 light;
uniform sampler2D boards;
out vec4 colour;
void main() {
    vec4 wood = texture(boards, uv);
    colour = vec4(wood.rgb * light, wood.a);
}
