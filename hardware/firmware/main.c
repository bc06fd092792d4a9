/* The rig on an ATmega328P at 16 MHz (Arduino Uno or Nano). Pins are in the wiring picture of docs/rig.md:
 *   D9  (OC1A) arm servo      D2 (INT0) contact, closes to ground     A0, A1 analogue tilt sensor
 *   D10 (OC1B) plate servo    D13 lit while armed                     A2 vibration sensor   A4, A5 I2C: MPU-6050
 */
#include <avr/eeprom.h>
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <avr/wdt.h>
#include <util/atomic.h>

#include "imu.h"
#include "rig.h"

#define VIBRATION 2          /* ADC channel */
#define ADC_SUM 16
#define SERVO_PERIOD 40000U  /* 20 ms in ticks of 0.5 us */

/* Kept over a reset, read before anything else can. */
static uint8_t reset_cause __attribute__((section(".noinit")));

void keep_cause(void) __attribute__((naked, used, section(".init3")));
void keep_cause(void)
{
    reset_cause = MCUSR;
    MCUSR = 0;
    wdt_disable(); /* it stays on over a watchdog reset, at its shortest time */
}

/* Serial: interrupts fill and empty two rings; a frame that finds no room is dropped whole, for nothing may wait. */

#define RING 128 /* a power of two */

static volatile uint8_t heard[RING], heard_in, heard_out;
static volatile uint16_t overruns;
static volatile uint8_t said[RING], said_in, said_out;

ISR(USART_RX_vect)
{
    uint8_t is_lost = UCSR0A & _BV(DOR0);
    uint8_t byte = UDR0;
    uint8_t next = (heard_in + 1) & (RING - 1);
    if (is_lost || next == heard_out)
        overruns++;
    if (next != heard_out) {
        heard[heard_in] = byte;
        heard_in = next;
    }
}

ISR(USART_UDRE_vect)
{
    if (said_in == said_out) {
        UCSR0B &= ~_BV(UDRIE0);
    } else {
        UDR0 = said[said_out];
        said_out = (said_out + 1) & (RING - 1);
    }
}

uint8_t send_frame(const uint8_t *frame, uint8_t length)
{
    uint8_t used = (said_in - said_out) & (RING - 1);
    if (length > RING - 1 - used)
        return 0;
    for (uint8_t i = 0; i < length; i++)
        said[(said_in + i) & (RING - 1)] = frame[i];
    said_in = (said_in + length) & (RING - 1);
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { UCSR0B |= _BV(UDRIE0); }
    return 1;
}

static void begin_serial(void)
{
    UCSR0A = _BV(U2X0); /* before the divider: simavr works out its speed when that is written */
    UBRR0 = 16;         /* 117,647 baud: 2.1 % fast, within what both sides bear */
    UCSR0C = _BV(UCSZ01) | _BV(UCSZ00);
    UCSR0B = _BV(RXEN0) | _BV(TXEN0) | _BV(RXCIE0);
}

/* Servos: Timer1 runs freely; its compare units switch the pins themselves, so no interrupt can make a pulse longer.
 * At each match the interrupt has until the next edge, 0.5 ms at least, to say where and what that is. */

static volatile uint16_t arm_ticks, plate_ticks;

ISR(TIMER1_COMPA_vect)
{
    static uint16_t high;
    if (TCCR1A & _BV(COM1A0)) { /* the pin has just risen */
        high = arm_ticks;
        TCCR1A &= ~_BV(COM1A0);
        OCR1A += high;
    } else {
        TCCR1A |= _BV(COM1A0);
        OCR1A += SERVO_PERIOD - high;
    }
}

ISR(TIMER1_COMPB_vect)
{
    static uint16_t high;
    if (TCCR1A & _BV(COM1B0)) {
        high = plate_ticks;
        TCCR1A &= ~_BV(COM1B0);
        OCR1B += high;
    } else {
        TCCR1A |= _BV(COM1B0);
        OCR1B += SERVO_PERIOD - high;
    }
}

static void show_pulses(void)
{
    uint16_t arm = rig_out.arm_us * 2, plate = rig_out.plate_us * 2;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        arm_ticks = arm;
        plate_ticks = plate;
    }
    if (rig_out.is_armed)
        PORTB |= _BV(PB5);
    else
        PORTB &= ~_BV(PB5);
}

static void begin_servos(void)
{
    DDRB |= _BV(PB1) | _BV(PB2) | _BV(PB5);
    OCR1A = 2000;
    OCR1B = 10000; /* the plate's pulse begins 4 ms after the arm's: their currents do not add up */
    TCCR1A = _BV(COM1A1) | _BV(COM1A0) | _BV(COM1B1) | _BV(COM1B0);
    TIMSK1 = _BV(OCIE1A) | _BV(OCIE1B);
    TCCR1B = _BV(CS11);
}

/* Milliseconds: Timer2. */

static volatile uint8_t ms_due;

ISR(TIMER2_COMPA_vect)
{
    ms_due++;
}

static void begin_clock(void)
{
    OCR2A = 249;
    TCCR2A = _BV(WGM21);
    TIMSK2 = _BV(OCIE2A);
    TCCR2B = _BV(CS22); /* 16 MHz / 64 / 250 = 1 kHz */
}

/* Contact and analogue inputs. */

static volatile uint8_t has_closed;

ISR(INT0_vect)
{
    has_closed = 1;
}

static volatile uint8_t listens;
static volatile uint16_t loudest;
static volatile uint16_t reading;
static volatile uint8_t has_reading;

ISR(ADC_vect)
{
    uint16_t value = ADC;
    if ((ADMUX & 0x0F) != VIBRATION) {
        reading = value;
        has_reading = 1;
    } else if (value > loudest) {
        loudest = value;
    }
    if (listens) {
        ADMUX = _BV(REFS0) | VIBRATION;
        ADCSRA |= _BV(ADSC);
    }
}

static void begin_inputs(void)
{
    PORTD |= _BV(PD2);
    EICRA = _BV(ISC01);
    EIMSK = _BV(INT0);
    ADMUX = _BV(REFS0);
    ADCSRA = _BV(ADEN) | _BV(ADIE) | _BV(ADPS2) | _BV(ADPS1) | _BV(ADPS0);
}

/* One reading a ms, of each channel in turn; a sum is given on when it is whole. During a strike only the vibration
 * sensor is read, as often as it goes. */
static void tick_adc(void)
{
    static uint8_t channel, count;
    static uint16_t sum;
    if (rig_out.listens) {
        if (!listens) {
            listens = 1;
            if (!(ADCSRA & _BV(ADSC))) {
                ADMUX = _BV(REFS0) | VIBRATION;
                ADCSRA |= _BV(ADSC);
            }
        }
        ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { rig_in.peak = loudest; }
        return;
    }
    listens = 0;
    if (ADCSRA & _BV(ADSC))
        return;
    loudest = 0;
    if (has_reading) {
        has_reading = 0;
        sum += reading;
        if (++count == ADC_SUM) {
            rig_in.adc[channel] = sum;
            sum = count = 0;
            channel ^= 1;
        }
    }
    ADMUX = _BV(REFS0) | channel;
    ADCSRA |= _BV(ADSC);
}

/* The calibration in the EEPROM: a byte takes 3.4 ms, so one is begun whenever the last is done. */

struct __attribute__((packed)) stored {
    struct calibration calibration;
    uint16_t crc;
};

static struct stored EEMEM eeprom;
static struct stored image;

static void tick_eeprom(void)
{
    static uint8_t next;
    if (rig_out.store) {
        rig_out.store = 0;
        image.calibration = rig_calibration;
        image.crc = crc16((const uint8_t *)&image.calibration, sizeof image.calibration);
        next = 0;
        rig_in.storing = 1;
    }
    if (rig_in.storing && eeprom_is_ready()) {
        if (next < sizeof image) {
            eeprom_update_byte((uint8_t *)&eeprom + next, ((const uint8_t *)&image)[next]);
            next++;
        } else {
            rig_in.storing = 0;
        }
    }
}

static const struct calibration *stored_calibration(void)
{
    eeprom_read_block(&image, &eeprom, sizeof image);
    uint16_t crc = crc16((const uint8_t *)&image.calibration, sizeof image.calibration);
    return crc == image.crc && calibration_holds(&image.calibration) ? &image.calibration : 0;
}

static void tick(void)
{
    uint8_t closed;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        closed = has_closed;
        has_closed = 0;
        rig_in.overruns = overruns;
    }
    rig_in.contact_edge |= closed;
    rig_in.contact = !(PIND & _BV(PD2));
    tick_adc();
    imu_tick(rig_in.imu, &rig_in.has_imu);
    rig_tick();
    tick_eeprom();
}

int main(void)
{
    uint8_t faults = (reset_cause & _BV(WDRF) ? FAULT_WATCHDOG : 0) | (reset_cause & _BV(BORF) ? FAULT_BROWNOUT : 0);
    rig_begin(reset_cause, faults, stored_calibration());
    show_pulses();
    begin_serial();
    begin_servos();
    begin_clock();
    begin_inputs();
    imu_begin();
    wdt_enable(WDTO_250MS);
    set_sleep_mode(SLEEP_MODE_IDLE);
    sei();
    for (;;) {
        if (heard_in != heard_out) {
            uint8_t byte = heard[heard_out];
            heard_out = (heard_out + 1) & (RING - 1);
            rig_byte(byte);
            show_pulses();
        }
        if (ms_due) {
            ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { ms_due--; }
            tick();
            show_pulses();
            wdt_reset(); /* only here: a clock that stands still is a rig that hangs */
        }
        cli();
        if (heard_in == heard_out && !ms_due) {
            sleep_enable();
            sei(); /* takes effect after the next instruction: no interrupt can be slept through */
            sleep_cpu();
            sleep_disable();
        }
        sei();
    }
}
