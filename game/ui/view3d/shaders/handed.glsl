// What both of a tile's vertex shaders hand over: all that is the same, or changes evenly, over a face.
uniform mat4 to_shadow;
uniform float texel;           // m, of the shadow map
uniform vec3 eye;
uniform vec3 lamp;
out vec3 local;
out vec3 towards;              // the eye, from here
out vec3 lamp_spot;            // place on the shadow map, 0 to 1
out float height;
flat out vec3 face;
flat out vec3 normal_x;        // the tile's own directions
flat out vec3 normal_y;
flat out vec3 normal_z;
flat out vec3 flat_normal;
flat out vec3 size;
flat out vec4 wood;
flat out float seed;
flat out vec4 glaze;           // colour laid over, and how opaque it makes the tile
flat out vec4 amounts;         // of it on the faces and on the edges, brightness, how much the number stays clear

void look_of(float tint) {
    glaze = vec4(0.0, 0.0, 0.0, 1.0);
    amounts = vec4(0.0, 0.0, 1.0, 0.0);
    if (tint > 4.5) {                                     // weak
        glaze.rgb = vec3(1.0, 0.46, 0.05);
        amounts = vec4(0.30, 0.40, 1.0, 0.8);
    } else if (tint > 3.5) {                              // ghost
        glaze = vec4(0.80, 0.82, 0.76, 0.45);
        amounts = vec4(0.25, 0.30, 1.0, 0.9);
    } else if (tint > 2.5) {                              // bad
        glaze.rgb = vec3(0.78, 0.030, 0.018);
        amounts = vec4(0.82, 0.12, 1.0, 0.9);
    } else if (tint > 1.5) {                              // chosen
        glaze.rgb = vec3(0.10, 0.62, 0.70);
        amounts = vec4(0.26, 0.64, 1.05, 0.8);
    } else if (tint > 0.5) {                              // under the pointer
        glaze.rgb = vec3(1.0, 0.92, 0.74);
        amounts = vec4(0.10, 0.45, 1.12, 0.6);
    }
}

void hand_over(vec3 place) {
    normal_x = turned(in_turn, vec3(1.0, 0.0, 0.0));
    normal_y = turned(in_turn, vec3(0.0, 1.0, 0.0));
    normal_z = turned(in_turn, vec3(0.0, 0.0, 1.0));
    flat_normal = normal_x * face.x + normal_y * face.y + normal_z * face.z;
    lamp_spot = (to_shadow * vec4(place + flat_normal * texel * 1.3 + lamp * texel, 1.0)).xyz;
    towards = eye - place;
    height = max(place.z, 0.0);
    size = in_size;
    wood = in_wood;
    seed = in_kind.y;
    look_of(in_kind.x);
}
