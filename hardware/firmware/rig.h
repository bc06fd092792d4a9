/* What the rig does, without its hardware: bytes and milliseconds in, answers and servo pulses out. Pure but for `rig`. */
#ifndef RIG_H
#define RIG_H

#include <stdint.h>

#include "frame.h"
#include "protocol.h"

/* Given by the hardware before a tick. */
struct inputs {
    int16_t imu[3];
    uint8_t has_imu;
    uint16_t adc[2];
    uint16_t peak;        /* highest vibration reading since it was set to 0 */
    uint8_t contact;      /* closed now */
    uint8_t contact_edge; /* closed since the last tick; taken by the tick */
    uint8_t storing;      /* the EEPROM is being written */
    uint16_t overruns;
};

/* Wanted of the hardware after bytes and ticks. */
struct outputs {
    uint16_t arm_us;
    uint16_t plate_us;
    uint8_t is_armed;
    uint8_t listens; /* the vibration sensor's peak is wanted */
    uint8_t store;   /* the calibration is to be written; set to 0 by the hardware when it has begun */
};

extern struct inputs rig_in;
extern struct outputs rig_out;
extern struct calibration rig_calibration;

/* Sends a whole frame or nothing; 0 when there was no room. Given by the hardware. */
uint8_t send_frame(const uint8_t *frame, uint8_t length);

/* At power-up; NULL instead of a stored calibration when there is none that holds. */
void rig_begin(uint8_t reset_cause, uint8_t faults, const struct calibration *stored);
void rig_byte(uint8_t byte);
void rig_tick(void); /* every ms */

uint8_t calibration_holds(const struct calibration *given);

#endif
