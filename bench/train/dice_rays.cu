// Traces paths of light through scenes of rounded blocks on a table, for bench/train/dice_rays.py, which builds it with
// nvcc for a GPU or with g++ for a processor. Lengths are half sides of a die, colours linear RGB; the table is z = 0.
// The structs hold floats alone and are written by numpy: their order is that of THING and SCENE there.
#include <cmath>
#include <cstddef>
#include <cstdint>
#ifdef __CUDACC__
#define ON __device__ inline
#define APART __device__ __noinline__
#else
#define ON static inline
#define APART static
#endif

const float PI = 3.14159265f, BRIGHTEST_GLINT = 12, BRIGHTEST = 60;
const float PASSES = 0.6f;  // what of straight light comes through a clear body: the rest is mirrored or bent away
const int INNER_STEPS = 24, NOTHING = 255;

struct V { float x, y, z; };
ON V operator+(V a, V b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
ON V operator-(V a, V b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
ON V operator*(V a, V b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
ON V operator*(V a, float s) { return {a.x * s, a.y * s, a.z * s}; }
ON float dot(V a, V b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
ON V cross(V a, V b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
ON float len(V a) { return sqrtf(dot(a, a)); }
ON V unit(V a) { return a * (1 / fmaxf(len(a), 1e-12f)); }
ON V mix(V a, V b, float s) { return a * (1 - s) + b * s; }
ON float clamped(float v, float low, float high) { return fminf(fmaxf(v, low), high); }

enum { BOX, CYLINDER };
enum { PLAIN, DIE, ON_TOP, ON_ALL };

struct Thing {
    V at, right, ahead, up, half;
    float rounding, ball, shape, skin;
    V body, other;
    float marble_edge;
    V wave[4];
    float phase[4];
    V pip, red;
    float has_red, pip_radius, spacing, spread[6], six_rows, big_one, drill, is_square, is_ring;
    float values[6], swaps[3];
    float print, roughness, specular, metal;
    float clear, milk, bends;
    V absorb;
};

struct Scene {
    V eye, right, down, forward;
    float focal_px;
    float ground, ground_scale, ground_turn, ground_x, ground_y, ground_roughness, ground_specular;
    float room, room_turn, room_gain;
    V lamp_toward[2], lamp_light[2];
    float lamp_cos[2], lamps, things;
};

struct World {
    const Scene *scenes;
    const Thing *things;
    int most;                               // things that a scene has room for
    const uint8_t *grounds, *prints;        // (n, px, px, 3), as displays show them
    int ground_px, print_px;
    const float *rooms, *rows, *columns;    // light (n, h, w, 3) and its running sums, (n, h) and (n, h, w)
    int room_h, room_w;
    int side_px, samples, bounces;
    float *light;                           // what is traced: (scenes, side_px, side_px, 3)
    uint8_t *first;                         // if any, the thing that each pixel shows, or NOTHING
    uint32_t *all;                          // if any, bit k: the pixel would show thing k, were it alone
};

// PCG: M. E. O'Neill, PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms, 2014.
ON float draw(uint32_t &state) {
    state = state * 747796405u + 2891336453u;
    uint32_t word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
    return (((word >> 22u) ^ word) >> 8) * (1.0f / 16777216.0f);
}

ON V into(const Thing &t, V a) { return {dot(t.right, a), dot(t.ahead, a), dot(t.up, a)}; }
ON V out_of(const Thing &t, V a) { return t.right * a.x + t.ahead * a.y + t.up * a.z; }

ON float distance_to(const Thing &t, V p) {
    float r = t.rounding;
    if (t.shape == CYLINDER) {
        float a = sqrtf(p.x * p.x + p.y * p.y) - t.half.x + r, b = fabsf(p.z) - t.half.z + r;
        float oa = fmaxf(a, 0.f), ob = fmaxf(b, 0.f);
        return sqrtf(oa * oa + ob * ob) + fminf(fmaxf(a, b), 0.f) - r;
    }
    V q = {fabsf(p.x) - t.half.x + r, fabsf(p.y) - t.half.y + r, fabsf(p.z) - t.half.z + r};
    V o = {fmaxf(q.x, 0.f), fmaxf(q.y, 0.f), fmaxf(q.z, 0.f)};
    return fmaxf(len(o) + fminf(fmaxf(q.x, fmaxf(q.y, q.z)), 0.f) - r, len(p) - t.ball);
}

ON V normal_at(const Thing &t, V p) {
    const float e = 2e-3f;
    float d = distance_to(t, p);
    return unit({distance_to(t, {p.x + e, p.y, p.z}) - d, distance_to(t, {p.x, p.y + e, p.z}) - d,
                 distance_to(t, {p.x, p.y, p.z + e}) - d});
}

// How far off a ray meets the thing, or -1: through its box, then by sphere tracing (J. C. Hart, 1996).
ON float meet(const Thing &t, V from, V ray, float most) {
    V o = into(t, from - t.at), r = into(t, ray);
    float near = 0, far = most;
    const float *po = &o.x, *pr = &r.x, *ph = &t.half.x;
    for (int k = 0; k < 3; k++) {
        float inverse = 1 / (fabsf(pr[k]) < 1e-7f ? copysignf(1e-7f, pr[k]) : pr[k]);
        float a = (-ph[k] - po[k]) * inverse, b = (ph[k] - po[k]) * inverse;
        near = fmaxf(near, fminf(a, b));
        far = fminf(far, fmaxf(a, b));
    }
    float at = near;
    for (int k = 0; k < 40 && at < far; k++) {
        float d = distance_to(t, o + r * at);
        if (d < 1e-3f) return at;
        at += d;
    }
    return -1;
}

// What a ray meets first: the number of a thing but that just left, `most` for the table, -1 for nothing.
ON int nearest(const World &w, const Scene &s, const Thing *things, V from, V ray, int left, float &at) {
    int found = -1;
    at = 1e9f;
    if (ray.z < -1e-6f && from.z > 0) { at = -from.z / ray.z; found = w.most; }
    for (int k = 0; k < (int)s.things; k++) {
        float d = k == left ? -1 : meet(things[k], from, ray, at);
        if (d >= 0 && d < at) { at = d; found = k; }
    }
    return found;
}

ON V left_after(const Thing &t, float way) {
    return {expf(-t.absorb.x * way), expf(-t.absorb.y * way), expf(-t.absorb.z * way)};
}

// Whether light from there comes through; it takes the colour of the clear things on its way.
ON bool comes(const Scene &s, const Thing *things, V from, V ray, V &colour) {
    if (ray.z <= 0) return false;
    for (int k = 0; k < (int)s.things; k++) {
        const Thing &t = things[k];
        if (meet(t, from, ray, 1e9f) < 0) continue;
        if (t.clear <= 0) return false;
        float solid = t.marble_edge > 0 ? 0.5f : 0.f;
        colour = colour * left_after(t, 1) * (PASSES * t.clear * (1 - solid) / (1 + 0.5f * t.milk));
    }
    return true;
}

ON V texel(const uint8_t *pictures, float which, int px, float u, float v) {
    const uint8_t *picture = pictures + (size_t)which * px * px * 3;
    float x = u * px - 0.5f, y = v * px - 0.5f;
    int i = (int)floorf(x), j = (int)floorf(y);
    V sum = {0, 0, 0};
    for (int dj = 0; dj < 2; dj++)
        for (int di = 0; di < 2; di++) {
            int a = i + di, b = j + dj;
            a = a < 0 ? 0 : a >= px ? px - 1 : a;
            b = b < 0 ? 0 : b >= px ? px - 1 : b;
            const uint8_t *c = picture + 3 * (b * px + a);
            float share = (di ? x - i : 1 - x + i) * (dj ? y - j : 1 - y + j);
            sum = sum + V{(float)c[0], (float)c[1], (float)c[2]} * (share / 255);
        }
    return {powf(sum.x, 2.2f), powf(sum.y, 2.2f), powf(sum.z, 2.2f)};
}

ON float mirrored(float u) {
    u = fabsf(u);
    float f = u - 2 * floorf(u / 2);
    return f > 1 ? 2 - f : f;
}

ON V ground_at(const World &w, const Scene &s, V p) {
    float c = cosf(s.ground_turn), d = sinf(s.ground_turn);
    float u = (p.x * c - p.y * d) / s.ground_scale + s.ground_x, v = (p.x * d + p.y * c) / s.ground_scale + s.ground_y;
    return texel(w.grounds, s.ground, w.ground_px, mirrored(u), mirrored(v));
}

ON V body_at(const Thing &t, V p, float &marble) {
    marble = 0;
    if (t.marble_edge <= 0) return t.body;
    float a = sinf(dot(t.wave[0], p) + t.phase[0]), b = sinf(dot(t.wave[1], p) + t.phase[1]);
    float wave = sinf(dot(t.wave[2], p) + t.phase[2] + 2 * a);
    wave += 0.6f * sinf(2.3f * dot(t.wave[3], p) + t.phase[3] + 2 * b);
    marble = clamped(0.5f + 0.5f * wave * t.marble_edge, 0.f, 1.f);
    return mix(t.body, t.other, marble);
}

// The pips of the die's face at (u, v): how much of a pip is there; `tu`, `tv`: where in it.
ON float pips_at(const Thing &t, int value, float u, float v, float &tu, float &tv) {
    const signed char spots[7][2] = {{0, 0}, {-1, -1}, {1, 1}, {-1, 1}, {1, -1}, {-1, 0}, {1, 0}};
    float along = t.spacing * t.spread[value - 1], across = value == 6 ? along * t.six_rows : along;
    float radius = t.pip_radius * (value == 1 ? t.big_one : 1.f), amount = 0;
    for (int k = 0; k < 7; k++) {
        bool is_there = k == 0 ? value % 2 == 1 : k < 3 ? value > 1 : k < 5 ? value > 3 : value == 6;
        if (!is_there) continue;
        float x = u - spots[k][0] * across, y = v - spots[k][1] * along;
        float away = t.is_square > 0 ? fmaxf(fabsf(x), fabsf(y)) : sqrtf(x * x + y * y);
        float inside = clamped((radius - away) / 0.03f + 0.5f, 0.f, 1.f);
        if (t.is_ring > 0) inside *= clamped((away - radius * 0.45f) / 0.03f + 0.5f, 0.f, 1.f);
        amount = fmaxf(amount, inside);
        if (away < radius) { tu = x / radius; tv = y / radius; }
    }
    return amount;
}

// The colour at a point of the thing, in its frame; the normal `n` is tilted where a pip is drilled. `solid`: how much
// of it lets no light in, were the body clear: pips and the second colour of a marbled one.
ON V skin_at(const World &w, const Thing &t, V p, V &n, float &solid) {
    V body = body_at(t, p, solid);
    float a[3] = {p.x / t.half.x, p.y / t.half.y, p.z / t.half.z};
    int axis = fabsf(a[0]) > fabsf(a[1]) ? 0 : 1;
    if (fabsf(a[2]) > fabsf(a[axis])) axis = 2;
    float u = a[(axis + 1) % 3], v = a[(axis + 2) % 3];
    if (t.skin == ON_ALL || (t.skin == ON_TOP && axis == 2 && a[2] > 0))
        return texel(w.prints, t.print, w.print_px, u / 2 + 0.5f, v / 2 + 0.5f);
    if (t.skin != DIE) return body;
    bool is_swapped = t.swaps[axis] > 0;
    int value = (int)t.values[2 * axis + (a[axis] < 0)];
    float tu = 0, tv = 0, tilt[3] = {0, 0, 0};
    float amount = pips_at(t, value, is_swapped ? v : u, is_swapped ? -u : v, tu, tv);
    tilt[(axis + 1) % 3] = is_swapped ? -tv : tu;
    tilt[(axis + 2) % 3] = is_swapped ? tu : tv;
    n = unit(n - V{tilt[0], tilt[1], tilt[2]} * t.drill);
    solid = fmaxf(solid, amount);
    return mix(body, t.has_red > 0 && (value == 1 || value == 4) ? t.red : t.pip, amount);
}

ON V room_light(const World &w, const Scene &s, int row, int column) {
    const float *c = w.rooms + (((size_t)s.room * w.room_h + row) * w.room_w + column) * 3;
    return V{c[0], c[1], c[2]} * s.room_gain;
}

ON V light_from(const World &w, const Scene &s, V ray) {
    V sum = {0, 0, 0};
    for (int k = 0; k < (int)s.lamps; k++)
        if (dot(ray, s.lamp_toward[k]) > s.lamp_cos[k]) sum = sum + s.lamp_light[k];
    float turn = atan2f(ray.y, ray.x) / (2 * PI) + s.room_turn;
    int row = (int)(acosf(clamped(ray.z, -1.f, 1.f)) / PI * w.room_h), column = (int)((turn - floorf(turn)) * w.room_w);
    row = row >= w.room_h ? w.room_h - 1 : row;
    column = column >= w.room_w ? w.room_w - 1 : column;
    return sum + room_light(w, s, row, column);
}

ON int drawn_from(const float *sums, int n, float random) {
    float want = random * sums[n - 1];
    int low = 0, high = n - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (sums[middle] < want) low = middle + 1; else high = middle;
    }
    return low;
}

ON float share_of(const float *sums, int n, int k) { return (sums[k] - (k ? sums[k - 1] : 0)) / sums[n - 1]; }

// A direction about `n`: of unit cosine `c`, turned by `angle`.
ON V about(V n, float c, float angle) {
    V side = unit(cross(n, fabsf(n.z) < 0.9f ? V{0, 0, 1} : V{1, 0, 0})), top = cross(n, side);
    float d = sqrtf(fmaxf(0.f, 1 - c * c));
    return unit(n * c + side * (d * cosf(angle)) + top * (d * sinf(angle)));
}

// Of light that falls on a white surface of this normal, what goes any way; without a normal: on a white speck in milk.
ON float sent_on(V n, V ray) { return dot(n, n) > 0.5f ? dot(n, ray) : 0.25f; }

// Light that falls from the room or a lamp on a dull surface of this normal: what it sends on, were it white.
ON V lit(const World &w, const Scene &s, const Thing *things, V at, V n, uint32_t &random) {
    V colour = {1, 1, 1};
    int lamps = (int)s.lamps;
    float kinds = lamps ? 2 : 1, pick = draw(random) * kinds;
    if (pick >= 1) {
        int k = (int)((pick - 1) * lamps);
        k = k >= lamps ? lamps - 1 : k;
        V ray = about(s.lamp_toward[k], 1 - draw(random) * (1 - s.lamp_cos[k]), draw(random) * 2 * PI);
        float facing = sent_on(n, ray);
        if (facing <= 0 || !comes(s, things, at, ray, colour)) return {0, 0, 0};
        return s.lamp_light[k] * colour * (facing * 2 * (1 - s.lamp_cos[k]) * kinds * lamps);
    }
    const float *rows = w.rows + (size_t)s.room * w.room_h;
    int row = drawn_from(rows, w.room_h, draw(random));
    const float *columns = w.columns + ((size_t)s.room * w.room_h + row) * w.room_w;
    int column = drawn_from(columns, w.room_w, draw(random));
    float chance = share_of(rows, w.room_h, row) * share_of(columns, w.room_w, column);
    float theta = (row + draw(random)) / w.room_h * PI;
    float phi = ((column + draw(random)) / w.room_w - s.room_turn) * 2 * PI, across = sinf(theta);
    V ray = {across * cosf(phi), across * sinf(phi), cosf(theta)};
    float facing = sent_on(n, ray), angle = 2 * PI * PI * across / (w.room_h * w.room_w);
    if (facing <= 0 || chance <= 0 || !comes(s, things, at, ray, colour)) return {0, 0, 0};
    return room_light(w, s, row, column) * colour * (facing / PI * angle / chance * kinds);
}

// The ray that goes on beyond a surface, its normal against the ray; false: all of it is mirrored there.
ON bool bent(V ray, V n, float ratio, V &on) {
    float facing = -dot(n, ray), rest = 1 - ratio * ratio * (1 - facing * facing);
    if (rest <= 0) return false;
    on = unit(ray * ratio + n * (ratio * facing - sqrtf(rest)));
    return true;
}

// Of light on the border of a clear body. C. Schlick, An Inexpensive BRDF Model for Physically-based Rendering, 1994.
ON float mirrored_share(float facing, float bends) {
    float base = (bends - 1) / (bends + 1);
    return base * base + (1 - base * base) * powf(1 - clamped(facing, 0.f, 1.f), 5.f);
}

// Follows a ray from a point in a clear thing until it leaves it: by `from` and `ray`, with its `share`. Adds to `sum`
// what specks of milk and the backs of pips send on; after one of them the ray `sees_lights` no more. False: lost.
APART bool goes_through(const World &w, const Scene &s, const Thing *things, const Thing &t, V &from, V &ray, V &share,
                        V &sum, bool &sees_lights, uint32_t &random) {
    const float far = 2.5f * len(t.half);
    for (int step = 0; step < INNER_STEPS; step++) {
        float back = meet(t, from + ray * far, ray * -1, far), way = fmaxf(far - back, 0.f);
        if (back < 0) return false;
        float free = t.milk > 0 ? -logf(1 - draw(random)) / t.milk : way;
        if (free < way) {
            from = from + ray * free;
            share = share * left_after(t, free);
            sum = sum + share * lit(w, s, things, from, {0, 0, 0}, random);
            ray = about({0, 0, 1}, 2 * draw(random) - 1, draw(random) * 2 * PI);
            sees_lights = false;
            continue;
        }
        from = from + ray * way;
        share = share * left_after(t, way);
        V local = into(t, from - t.at), n = normal_at(t, local), tilted = n;
        float solid;
        V colour = skin_at(w, t, local, tilted, solid);
        n = out_of(t, n);
        float facing = dot(n, ray);
        if (facing <= 0) return false;
        if (solid > 0 && draw(random) < solid) {
            from = from - n * 3e-3f;
            share = share * colour;
            sum = sum + share * lit(w, s, things, from, n * -1, random);
            ray = about(n * -1, sqrtf(fmaxf(1e-4f, 1 - draw(random))), draw(random) * 2 * PI);
            sees_lights = false;
            continue;
        }
        V on;
        if (bent(ray, n * -1, t.bends, on) && draw(random) >= mirrored_share(dot(n, on), t.bends)) {
            from = from + n * 3e-3f;
            from.z = fmaxf(from.z, 1e-4f);
            ray = on;
            return true;
        }
        from = from - n * 3e-3f;
        ray = ray - n * (2 * facing);
    }
    return false;
}

// Light along a ray. Dull surfaces take the lights' by `lit` and others' by going on, so a path from one sees no light.
// Glossy ones: B. Walter and others, Microfacet Models for Refraction through Rough Surfaces, 2007.
ON V path(const World &w, const Scene &s, const Thing *things, V from, V ray, uint32_t &random) {
    V sum = {0, 0, 0}, share = {1, 1, 1};
    bool sees_lights = true;
    int left = -1;
    for (int bounce = 0; bounce < w.bounces; bounce++) {
        float at;
        int k = nearest(w, s, things, from, ray, left, at);
        if (k < 0) {
            V c = light_from(w, s, ray);
            float top = fmaxf(c.x, fmaxf(c.y, c.z));
            if (bounce) c = c * fminf(1.f, BRIGHTEST_GLINT / fmaxf(top, 1e-6f));
            return sees_lights ? sum + share * c : sum;
        }
        V p = from + ray * at, n = {0, 0, 1}, colour;
        left = -1;
        float rough = s.ground_roughness, specular = s.ground_specular, metal = 0, clear = 0;
        if (k == w.most) {
            colour = ground_at(w, s, p);
        } else {
            const Thing &t = things[k];
            V local = into(t, p - t.at);
            n = normal_at(t, local);
            float solid;
            colour = skin_at(w, t, local, n, solid);
            n = out_of(t, n);
            rough = t.roughness, specular = t.specular, metal = t.metal, clear = t.clear * (1 - solid);
        }
        float facing = -dot(n, ray);
        if (facing <= 0) {
            n = unit(n - ray * (dot(n, ray) + 1e-3f));
            facing = fmaxf(-dot(n, ray), 1e-3f);
        }
        from = p + n * 3e-3f;
        float base = 0.08f * specular, grazing = powf(1 - facing, 5.f) * (1 - 0.7f * rough);
        V mirror = mix(V{base, base, base}, colour, metal);
        mirror = mirror + (V{1, 1, 1} - mirror) * grazing;
        float mean = (mirror.x + mirror.y + mirror.z) / 3, chance = metal > 0.5f ? 1.f : clamped(mean, 0.12f, 0.9f);
        if (draw(random) < chance) {
            float alpha = rough * rough, r = draw(random);
            V half = about(n, sqrtf((1 - r) / (1 + (alpha * alpha - 1) * r)), draw(random) * 2 * PI);
            ray = ray - half * (2 * dot(ray, half));
            if (dot(ray, n) <= 0) return sum;
            share = share * mirror * (1 / chance);
            sees_lights = true;
        } else if (clear > 0 && draw(random) < clear) {
            const Thing &t = things[k];
            share = share * ((1 - mean) / (1 - chance));
            bent(ray, n, 1 / t.bends, ray);
            from = p + ray * 3e-3f;
            if (!goes_through(w, s, things, t, from, ray, share, sum, sees_lights, random)) return sum;
            left = k;
        } else {
            share = share * colour * ((1 - mean) / (1 - chance));
            sum = sum + share * lit(w, s, things, from, n, random);
            ray = about(n, sqrtf(fmaxf(1e-4f, 1 - draw(random))), draw(random) * 2 * PI);
            sees_lights = false;
        }
    }
    return sum;
}

// What the middle of a pixel shows.
ON void mark_pixel(const World &w, const Scene &s, const Thing *things, int x, int y, size_t pixel) {
    float u = x + 0.5f - w.side_px / 2.f, v = y + 0.5f - w.side_px / 2.f, at;
    V ray = unit(s.right * u + s.down * v + s.forward * s.focal_px);
    int k = nearest(w, s, things, s.eye, ray, -1, at);
    uint32_t all = 0;
    for (int j = 0; j < (int)s.things; j++)
        if (meet(things[j], s.eye, ray, 1e9f) >= 0) all |= 1u << j;
    if (w.first) w.first[pixel] = (uint8_t)(k < 0 || k == w.most ? NOTHING : k);
    if (w.all) w.all[pixel] = all;
}

ON void trace_pixel(const World &w, int scene, int x, int y) {
    const Scene &s = w.scenes[scene];
    const Thing *things = w.things + (size_t)scene * w.most;
    uint32_t random = ((scene * 9781u + y) * 6271u + x) * 2654435761u + 12345u;
    for (int k = 0; k < 3; k++) draw(random);
    V sum = {0, 0, 0};
    for (int k = 0; k < w.samples; k++) {
        float u = x + draw(random) - w.side_px / 2.f, v = y + draw(random) - w.side_px / 2.f;
        V c = path(w, s, things, s.eye, unit(s.right * u + s.down * v + s.forward * s.focal_px), random);
        sum = sum + V{fminf(c.x, BRIGHTEST), fminf(c.y, BRIGHTEST), fminf(c.z, BRIGHTEST)};
    }
    size_t pixel = ((size_t)scene * w.side_px + y) * w.side_px + x;
    float *out = w.light + pixel * 3;
    out[0] = sum.x / w.samples, out[1] = sum.y / w.samples, out[2] = sum.z / w.samples;
    if (w.first || w.all) mark_pixel(w, s, things, x, y, pixel);
}

#ifdef __CUDACC__
__global__ void __launch_bounds__(128, 8) trace_pixels(World w) {
    // a warp takes 8 x 4 pixels: they meet the same things
    int at = blockIdx.x * blockDim.x + threadIdx.x, warp = at / 32, lane = at % 32, across = w.side_px / 8;
    int x = warp % across * 8 + lane % 8, y = warp / across * 4 + lane / 8;
    if (y < w.side_px) trace_pixel(w, blockIdx.y, x, y);
}
extern "C" int trace(World w, int scenes) {
    trace_pixels<<<dim3(w.side_px * w.side_px / 128, scenes), 128>>>(w);
    return (int)cudaDeviceSynchronize();
}
#else
extern "C" int trace(World w, int scenes) {
    for (int scene = 0; scene < scenes; scene++)
        for (int y = 0; y < w.side_px; y++)
            for (int x = 0; x < w.side_px; x++) trace_pixel(w, scene, x, y);
    return 0;
}
#endif

extern "C" int bytes_of_thing() { return (int)sizeof(Thing); }
extern "C" int bytes_of_scene() { return (int)sizeof(Scene); }
