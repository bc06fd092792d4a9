/* The numbers of PROTOCOL.md, which describes them; a test compares the two. */
#ifndef PROTOCOL_H
#define PROTOCOL_H

#include <stdint.h>

#define PROTOCOL_VERSION 1
#define FIRMWARE_MAJOR 1
#define FIRMWARE_MINOR 0
#define DEVICE_KIND 1

#define HELLO 0x01
#define PING 0x02
#define ARM 0x03
#define TAP 0x04
#define TILT 0x05
#define READ 0x06
#define STOP 0x07
#define HOME 0x08
#define STORE 0x09
#define RECALL 0x0A
#define COUNT 0x0B
#define ANSWER 0x80

#define OK 0
#define OTHER_VERSION 1
#define NO_SESSION 2
#define NOT_ARMED 3
#define OUT_OF_RANGE 4
#define BUSY 5
#define UNKNOWN 6

#define ACTION_TAP 1
#define ACTION_TILT 2

#define ABLE_TAP 1
#define ABLE_TILT 2
#define ABLE_IMU 4
#define ABLE_ADC 8
#define ABLE_CONTACT 16

#define STATE_ARMED_TAP 1
#define STATE_ARMED_TILT 2
#define STATE_STRIKING 4
#define STATE_RETRACTING 8
#define STATE_PLATE_MOVING 16
#define STATE_PLATE_TILTED 32
#define STATE_STORING 64

#define FAULT_SILENCE 1
#define FAULT_WATCHDOG 2
#define FAULT_BROWNOUT 4
#define FAULT_NO_CALIBRATION 8
#define FAULT_NO_IMU 16
#define FAULT_HELD_LONG 32

#define BAUD 115200
#define LONGEST 62
#define RESEND_MS 60
#define STROKE_MIN 40
#define STROKE_MAX 800
#define TILT_MAX 2500
#define RATE_MAX 2000
#define WINDOW_MAX_MS 10000
#define HEARTBEAT_MS 500
#define STRIKE_MS 150
#define RETRACT_MS 200
#define LISTEN_MS 20
#define LEVEL_RATE 1500
#define HOLD_MS 60000
#define WATCHDOG_MS 250
#define BOUNCE_MS 30
#define PULSE_MIN_US 500
#define PULSE_MAX_US 2500

#define NO_CONTACT 0xFFFF
#define ABORTED 0xFFFE

/* Both the AVR and the hosts the tests run on are little-endian: a packed struct is what goes over the wire. */
struct __attribute__((packed)) head {
    uint8_t kind;
    uint16_t session;
    uint16_t number;
};

struct __attribute__((packed)) calibration {
    uint32_t device;
    uint16_t arm_rest;
    int8_t arm_sign;
    uint16_t plate_level;
    int16_t plate_gain;
    uint16_t adc_zero_x;
    uint16_t adc_zero_y;
    uint16_t adc_per_g;
    int16_t imu_zero_x;
    int16_t imu_zero_y;
};

struct __attribute__((packed)) hello_answer {
    uint8_t protocol;
    uint8_t firmware_major;
    uint8_t firmware_minor;
    uint8_t device_kind;
    uint8_t abilities;
    uint8_t reset_cause;
    uint32_t device;
    uint16_t stroke_min;
    uint16_t stroke_max;
    uint16_t tilt_max;
    uint16_t rate_max;
    uint16_t window_max;
    uint16_t heartbeat;
    uint16_t calibration_crc;
};

struct __attribute__((packed)) ping_answer {
    uint8_t state;
    uint8_t faults;
    uint16_t taps;
    uint16_t tilts;
    uint32_t uptime;
};

struct __attribute__((packed)) arm_question {
    uint8_t action;
    uint16_t window;
};

struct __attribute__((packed)) tap_question {
    uint8_t token;
    uint16_t stroke;
};

struct __attribute__((packed)) tilt_question {
    uint8_t token;
    int16_t angle;
    uint16_t rate;
};

struct __attribute__((packed)) read_answer {
    int16_t imu_x;
    int16_t imu_y;
    int16_t imu_z;
    uint16_t adc_x;
    uint16_t adc_y;
    uint8_t contact;
    uint16_t contacts;
    uint16_t delay;
    uint16_t peak;
    int16_t plate;
};

struct __attribute__((packed)) count_answer {
    uint16_t bad_frames;
    uint16_t stale;
    uint16_t unsent;
    uint16_t overruns;
    uint16_t silences;
};

#endif
