#include "imu.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/twi.h>

#define ADDRESS 0x68
#define CONFIG 0x1A
#define ACCEL_CONFIG 0x1C
#define ACCEL 0x3B
#define POWER 0x6B
#define WHO_AM_I 0x75
#define LOW_PASS_10_HZ 5
#define EVERY_MS 20
#define AGAIN_MS 1000 /* between two looks for a sensor that is not there */
#define PATIENCE_MS 5 /* a transfer takes 0.3 */

#define GO (_BV(TWINT) | _BV(TWEN) | _BV(TWIE))

enum transfer { IDLE, BUSY, DONE, FAILED };
enum step { NAME, WAKE, FILTER, RANGE, READING };

static volatile enum transfer transfer;
static volatile uint8_t bytes[6];
static uint8_t reg, value, count; /* count 0: value is written, else so many bytes are read */
static uint8_t at;                /* bytes of the transfer so far */

static void end(enum transfer how)
{
    TWCR = _BV(TWINT) | _BV(TWEN) | _BV(TWSTO);
    transfer = how;
}

/* A byte was acknowledged, its kind known by its place: simavr 1.6 reports an address as if it were data. */
static void go_on(void)
{
    uint8_t place = at++;
    if (place == 0)
        TWDR = reg;
    else if (place == 1 && !count)
        TWDR = value;
    else if (place == 1)
        at = 0;
    else {
        end(DONE);
        return;
    }
    TWCR = place == 1 && count ? GO | _BV(TWSTA) : GO;
}

ISR(TWI_vect)
{
    switch (TW_STATUS) {
    case TW_START:
        TWDR = ADDRESS << 1 | TW_WRITE;
        TWCR = GO;
        break;
    case TW_REP_START:
        TWDR = ADDRESS << 1 | TW_READ;
        TWCR = GO;
        break;
    case TW_MT_SLA_ACK:
    case TW_MT_DATA_ACK: go_on(); break;
    case TW_MR_DATA_ACK: bytes[at++] = TWDR; /* fall through */
    case TW_MR_SLA_ACK: TWCR = at + 1 < count ? GO | _BV(TWEA) : GO; break;
    case TW_MR_DATA_NACK:
        bytes[at] = TWDR;
        end(DONE);
        break;
    default: end(FAILED); break;
    }
}

static void start(uint8_t at_register, uint8_t written, uint8_t wanted)
{
    reg = at_register;
    value = written;
    count = wanted;
    at = 0;
    transfer = BUSY;
    TWCR = GO | _BV(TWSTA);
}

static void start_step(enum step step)
{
    switch (step) {
    case NAME: start(WHO_AM_I, 0, 1); break;
    case WAKE: start(POWER, 0, 0); break;
    case FILTER: start(CONFIG, LOW_PASS_10_HZ, 0); break;
    case RANGE: start(ACCEL_CONFIG, 0, 0); break;
    case READING: start(ACCEL, 0, sizeof bytes); break;
    }
}

void imu_begin(void)
{
    PORTC |= _BV(PC4) | _BV(PC5); /* weak pull-ups, for boards that have none */
    TWBR = 12;                    /* 400 kHz */
}

void imu_tick(int16_t acceleration[3], uint8_t *is_there)
{
    static enum step step;
    static uint16_t wait;
    static uint8_t busy;
    if (wait) {
        wait--;
        return;
    }
    if (transfer == BUSY && busy++ < PATIENCE_MS)
        return;
    busy = 0;
    if (transfer == BUSY || transfer == FAILED || (transfer == DONE && step == NAME && bytes[0] != ADDRESS)) {
        TWCR = 0; /* lets go of a bus that hangs */
        transfer = IDLE;
        step = NAME;
        wait = AGAIN_MS;
        *is_there = 0;
        acceleration[0] = acceleration[1] = acceleration[2] = 0;
        return;
    }
    if (transfer == DONE && step == READING) {
        for (uint8_t axis = 0; axis < 3; axis++)
            acceleration[axis] = (int16_t)(bytes[2 * axis] << 8 | bytes[2 * axis + 1]);
        *is_there = 1;
        transfer = IDLE;
        wait = EVERY_MS;
        return;
    }
    if (transfer == DONE)
        step++;
    start_step(step);
}
