#include "rig.h"

#include <string.h>

enum phase { RESTING, STRIKING, RETRACTING };

struct inputs rig_in;
struct outputs rig_out;
struct calibration rig_calibration;

static const struct calibration FACTORY = {
    .device = 0,
    .arm_rest = 1000,
    .arm_sign = 1,
    .plate_level = 1500,
    .plate_gain = 1111, /* 90 degrees to 1000 us */
    .adc_zero_x = 8184,
    .adc_zero_y = 8184,
    .adc_per_g = 13107, /* 4 V to 1 g at 5 V */
};

static struct {
    struct deframer deframer;
    uint8_t has_session;
    uint16_t session;
    uint16_t last; /* number of the last command carried out */
    uint8_t answer[PACKET_MAX]; /* to it, for resends; room for the CRC */
    uint8_t answer_length;

    uint8_t armed; /* for which action */
    uint16_t window;
    uint8_t token;
    uint16_t silence; /* ms since a frame of the session */

    enum phase phase;
    uint16_t in_phase; /* ms */
    uint16_t stroke;
    uint16_t delay;

    int32_t plate; /* now, in 0.00001 degrees: a rate of 0.01 degrees a second is one of these each ms */
    int32_t target;
    uint16_t rate;
    uint16_t held;

    uint8_t cause;
    uint8_t faults;
    uint8_t is_factory;
    uint16_t taps, tilts, stops, contacts, since_contact;
    struct count_answer counts;
    uint32_t uptime;
} rig;

#define FINE 1000L /* plate units in 0.01 degrees */

static uint16_t pulse(int32_t us)
{
    return us < PULSE_MIN_US ? PULSE_MIN_US : us > PULSE_MAX_US ? PULSE_MAX_US : (uint16_t)us;
}

static void show_outputs(void)
{
    int32_t forward = rig.phase == STRIKING ? (int32_t)rig.stroke * rig_calibration.arm_sign : 0;
    rig_out.arm_us = pulse(rig_calibration.arm_rest + forward);
    rig_out.plate_us = pulse(rig_calibration.plate_level + rig.plate / FINE * rig_calibration.plate_gain / 10000);
    rig_out.is_armed = rig.armed != 0;
    rig_out.listens = rig.phase == STRIKING || (rig.phase == RETRACTING && rig.in_phase < LISTEN_MS);
}

static void enter(enum phase phase)
{
    rig.phase = phase;
    rig.in_phase = 0;
}

static void disarm(void)
{
    rig.armed = 0;
    rig.window = 0;
}

static void rest(void)
{
    disarm();
    if (rig.phase == STRIKING) {
        rig.delay = ABORTED;
        enter(RETRACTING);
    }
    rig.target = 0;
    rig.rate = LEVEL_RATE;
    rig.held = 0;
    show_outputs();
}

uint8_t calibration_holds(const struct calibration *given)
{
    int32_t forward = given->arm_rest + (int32_t)given->arm_sign * STROKE_MAX;
    int32_t reach = (int32_t)given->plate_gain * (TILT_MAX / 100) / 100;
    if (reach < 0)
        reach = -reach;
    return (given->arm_sign == 1 || given->arm_sign == -1) && given->arm_rest >= PULSE_MIN_US
           && given->arm_rest <= PULSE_MAX_US && forward >= PULSE_MIN_US && forward <= PULSE_MAX_US
           && given->plate_gain != 0 && given->plate_level >= PULSE_MIN_US + reach
           && given->plate_level <= PULSE_MAX_US - reach && given->adc_per_g != 0;
}

void rig_begin(uint8_t reset_cause, uint8_t faults, const struct calibration *stored)
{
    memset(&rig, 0, sizeof rig);
    memset(&rig_in, 0, sizeof rig_in);
    memset(&rig_out, 0, sizeof rig_out);
    rig_calibration = stored ? *stored : FACTORY;
    rig.is_factory = stored == 0;
    rig.cause = reset_cause;
    rig.faults = faults;
    rig.delay = NO_CONTACT;
    rig.since_contact = BOUNCE_MS;
    show_outputs();
}

/* Answers */

static void send(uint8_t *packet, uint8_t length)
{
    uint8_t frame[FRAME_MAX];
    uint8_t framed = enframe(packet, length, frame);
    if (!send_frame(frame, framed))
        rig.counts.unsent++;
}

static void answer(const struct head *to, uint8_t status, const void *body, uint8_t length, uint8_t is_last)
{
    uint8_t passing[PACKET_MAX];
    uint8_t *packet = is_last ? rig.answer : passing;
    struct head head = {to->kind | ANSWER, to->session, to->number};
    memcpy(packet, &head, sizeof head);
    packet[sizeof head] = status;
    if (length) /* without a body there is no place to copy from */
        memcpy(packet + sizeof head + 1, body, length);
    uint8_t total = sizeof head + 1 + length;
    if (is_last)
        rig.answer_length = total;
    send(packet, total);
}

static uint8_t state(void)
{
    uint8_t bits = rig.armed == ACTION_TAP ? STATE_ARMED_TAP : rig.armed == ACTION_TILT ? STATE_ARMED_TILT : 0;
    if (rig.phase == STRIKING)
        bits |= STATE_STRIKING;
    if (rig.phase == RETRACTING)
        bits |= STATE_RETRACTING;
    if (rig.plate != rig.target)
        bits |= STATE_PLATE_MOVING;
    if (rig.plate)
        bits |= STATE_PLATE_TILTED;
    if (rig_in.storing || rig_out.store)
        bits |= STATE_STORING;
    return bits;
}

static uint8_t faults(void)
{
    return rig.faults | (rig.is_factory ? FAULT_NO_CALIBRATION : 0) | (rig_in.has_imu ? 0 : FAULT_NO_IMU);
}

static void answer_hello(const struct head *head, uint8_t status)
{
    struct hello_answer body = {
        .protocol = PROTOCOL_VERSION,
        .firmware_major = FIRMWARE_MAJOR,
        .firmware_minor = FIRMWARE_MINOR,
        .device_kind = DEVICE_KIND,
        .abilities = ABLE_TAP | ABLE_TILT | ABLE_ADC | ABLE_CONTACT | (rig_in.has_imu ? ABLE_IMU : 0),
        .reset_cause = rig.cause,
        .device = rig_calibration.device,
        .stroke_min = STROKE_MIN,
        .stroke_max = STROKE_MAX,
        .tilt_max = TILT_MAX,
        .rate_max = RATE_MAX,
        .window_max = WINDOW_MAX_MS,
        .heartbeat = HEARTBEAT_MS,
        .calibration_crc = crc16((const uint8_t *)&rig_calibration, sizeof rig_calibration),
    };
    answer(head, status, &body, sizeof body, status == OK);
}

/* Commands */

static void do_ping(const struct head *head)
{
    struct ping_answer body = {state(), faults(), rig.taps, rig.tilts, rig.uptime};
    answer(head, OK, &body, sizeof body, 1);
}

static void do_arm(const struct head *head, const struct arm_question *asked)
{
    uint8_t status = OK;
    if ((asked->action != ACTION_TAP && asked->action != ACTION_TILT) || !asked->window
        || asked->window > WINDOW_MAX_MS)
        status = OUT_OF_RANGE;
    else if (rig.phase != RESTING || rig_in.storing || rig_out.store)
        status = BUSY;
    disarm();
    if (status == OK) {
        rig.armed = asked->action;
        rig.window = asked->window;
        rig.token++;
    }
    answer(head, status, &rig.token, status == OK ? 1 : 0, 1);
}

/* Whether the action may go on; it disarms in any case. */
static uint8_t released(uint8_t action, uint8_t token)
{
    uint8_t is_armed = rig.armed == action && token == rig.token;
    disarm();
    return is_armed;
}

static void do_tap(const struct head *head, const struct tap_question *asked)
{
    uint8_t status = OK;
    if (!released(ACTION_TAP, asked->token))
        status = NOT_ARMED;
    else if (asked->stroke < STROKE_MIN || asked->stroke > STROKE_MAX)
        status = OUT_OF_RANGE;
    if (status == OK) {
        rig.stroke = asked->stroke;
        rig.delay = NO_CONTACT;
        rig_in.peak = 0;
        rig_in.contact_edge = 0;
        rig.taps++;
        enter(STRIKING);
    }
    answer(head, status, &rig.taps, status == OK ? sizeof rig.taps : 0, 1);
}

static void do_tilt(const struct head *head, const struct tilt_question *asked)
{
    uint8_t status = OK;
    if (!released(ACTION_TILT, asked->token))
        status = NOT_ARMED;
    else if (asked->angle < -TILT_MAX || asked->angle > TILT_MAX || !asked->rate || asked->rate > RATE_MAX)
        status = OUT_OF_RANGE;
    if (status == OK) {
        rig.target = asked->angle * FINE;
        rig.rate = asked->rate;
        rig.held = 0;
        rig.tilts++;
    }
    answer(head, status, &rig.tilts, status == OK ? sizeof rig.tilts : 0, 1);
}

static void do_read(const struct head *head)
{
    struct read_answer body = {
        .imu_x = rig_in.imu[0],
        .imu_y = rig_in.imu[1],
        .imu_z = rig_in.imu[2],
        .adc_x = rig_in.adc[0],
        .adc_y = rig_in.adc[1],
        .contact = rig_in.contact,
        .contacts = rig.contacts,
        .delay = rig.delay,
        .peak = rig_in.peak,
        .plate = (int16_t)(rig.plate / FINE),
    };
    answer(head, OK, &body, sizeof body, 1);
}

static void do_home(const struct head *head)
{
    rest();
    rig.faults = 0;
    answer(head, OK, 0, 0, 1);
}

static void do_store(const struct head *head, const struct calibration *asked)
{
    uint8_t status = OK;
    if (!calibration_holds(asked))
        status = OUT_OF_RANGE;
    else if (rig.armed || rig.phase != RESTING || rig.plate || rig.target || rig_in.storing || rig_out.store)
        status = BUSY;
    if (status == OK) {
        rig_calibration = *asked;
        rig.is_factory = 0;
        rig_out.store = 1;
    }
    answer(head, status, 0, 0, 1);
}

static void do_count(const struct head *head)
{
    rig.counts.overruns = rig_in.overruns;
    answer(head, OK, &rig.counts, sizeof rig.counts, 1);
}

static void carry_out(const struct head *head, const uint8_t *body)
{
    switch (head->kind) {
    case PING: do_ping(head); break;
    case ARM: do_arm(head, (const struct arm_question *)body); break;
    case TAP: do_tap(head, (const struct tap_question *)body); break;
    case TILT: do_tilt(head, (const struct tilt_question *)body); break;
    case READ: do_read(head); break;
    case HOME: do_home(head); break;
    case STORE: do_store(head, (const struct calibration *)body); break;
    case RECALL: answer(head, OK, &rig_calibration, sizeof rig_calibration, 1); break;
    case COUNT: do_count(head); break;
    default: answer(head, UNKNOWN, 0, 0, 1); break;
    }
}

#define ANY_LENGTH 0xFF

static uint8_t length_of(uint8_t kind)
{
    switch (kind) {
    case HELLO: return 1;
    case ARM: return sizeof(struct arm_question);
    case TAP: return sizeof(struct tap_question);
    case TILT: return sizeof(struct tilt_question);
    case STORE: return sizeof(struct calibration);
    case PING: case READ: case STOP: case HOME: case RECALL: case COUNT: return 0;
    default: return ANY_LENGTH;
    }
}

static void hear_stop(const struct head *head, uint8_t is_newer)
{
    rest();
    rig.stops++;
    if (is_newer)
        rig.last = head->number;
    answer(head, OK, &rig.stops, sizeof rig.stops, is_newer);
}

static void hear_hello(const struct head *head, uint8_t version)
{
    if (version != PROTOCOL_VERSION) {
        answer_hello(head, OTHER_VERSION);
        return;
    }
    rest();
    rig.has_session = 1;
    rig.session = head->session;
    rig.last = head->number;
    rig.silence = 0;
    answer_hello(head, OK);
}

static void hear(const uint8_t *packet, uint8_t length)
{
    struct head head;
    memcpy(&head, packet, sizeof head);
    const uint8_t *body = packet + sizeof head;
    uint8_t asked = length_of(head.kind);
    if (asked != ANY_LENGTH && length - sizeof head != asked) {
        rig.counts.bad_frames++;
        return;
    }
    uint8_t is_ours = rig.has_session && head.session == rig.session;
    uint16_t ahead = head.number - rig.last;
    uint8_t is_newer = is_ours && ahead >= 1 && ahead < 0x8000;
    if (is_ours)
        rig.silence = 0;
    if (head.kind == STOP) {
        hear_stop(&head, is_newer);
    } else if (head.kind == HELLO && !is_ours) {
        hear_hello(&head, body[0]);
    } else if (!is_ours) {
        answer(&head, NO_SESSION, 0, 0, 0);
    } else if (is_newer) {
        rig.last = head.number;
        carry_out(&head, body);
    } else if (ahead == 0 && rig.answer[0] == (head.kind | ANSWER)) {
        send(rig.answer, rig.answer_length);
    } else {
        rig.counts.stale++;
    }
}

void rig_byte(uint8_t byte)
{
    switch (deframe(&rig.deframer, byte)) {
    case FRAME_GOOD:
        hear(rig.deframer.packet, rig.deframer.length);
        show_outputs();
        break;
    case FRAME_BAD: rig.counts.bad_frames++; break;
    }
}

/* Time */

static void tick_contact(void)
{
    if (rig.since_contact < BOUNCE_MS)
        rig.since_contact++;
    if (!rig_in.contact_edge)
        return;
    rig_in.contact_edge = 0;
    if (rig.since_contact == BOUNCE_MS)
        rig.contacts++;
    rig.since_contact = 0;
    if (rig.phase == STRIKING) {
        rig.delay = rig.in_phase;
        enter(RETRACTING);
    }
}

static void tick_arm(void)
{
    if (rig.window && --rig.window == 0)
        disarm();
    if (rig.phase != RESTING)
        rig.in_phase++;
    tick_contact();
    if (rig.phase == STRIKING && rig.in_phase >= STRIKE_MS)
        enter(RETRACTING);
    else if (rig.phase == RETRACTING && rig.in_phase >= RETRACT_MS)
        enter(RESTING);
}

static void tick_plate(void)
{
    int32_t left = rig.target - rig.plate;
    if (left > rig.rate)
        left = rig.rate;
    if (left < -(int32_t)rig.rate)
        left = -(int32_t)rig.rate;
    rig.plate += left;
    if (rig.target && rig.plate == rig.target && ++rig.held >= HOLD_MS) {
        rig.faults |= FAULT_HELD_LONG;
        rest();
    }
}

static void tick_heartbeat(void)
{
    if (rig.silence < HEARTBEAT_MS)
        rig.silence++;
    if (rig.silence == HEARTBEAT_MS && (rig.armed || rig.phase == STRIKING || rig.target)) {
        rig.faults |= FAULT_SILENCE;
        rig.counts.silences++;
        rest();
    }
}

void rig_tick(void)
{
    rig.uptime++;
    tick_arm();
    tick_plate();
    tick_heartbeat();
    show_outputs();
}
