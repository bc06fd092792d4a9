// What table and tiles share: the lamp, the sky, the way colours reach the screen.
const vec3 KEY = vec3(1.80, 1.54, 1.18);     // a warm lamp
const vec3 SKY = vec3(0.54, 0.54, 0.58);     // cool light from all above
const vec3 GROUND = vec3(0.50, 0.36, 0.25);  // what the table throws back

vec3 shown(vec3 light) {
    // Bright places roll off softly; the root stands for the screen's gamma, as squares do for pictures.
    return sqrt(light / (1.0 + 0.22 * light));
}
