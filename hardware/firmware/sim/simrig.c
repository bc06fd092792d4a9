/* The firmware in simavr, its serial line on a pseudo-terminal and its table on standard input.
 *
 *   simrig FIRMWARE.elf [--free] [--link PATH]
 *
 * First it prints `port NAME`. Then, without --free, simulated time stands still but for `run`; with it, it keeps pace
 * with the clock on the wall. Commands, one a line; each is answered with one line that begins with `ok`:
 *
 *   run MICROSECONDS FROM_HOST   until then, or until a frame's end was sent after at least one other byte of it;
 *                                before, FROM_HOST bytes in all have been taken from the line
 *                                -> ok NOW_US TO_HOST_TOTAL
 *   adc CHANNEL MILLIVOLTS · contact 0|1 · imu X Y Z (counts) · imu off
 *   mark N                       remember when the N-th byte from the host was heard  ·  marked -> ok US (0: not yet)
 *   pulses                       -> ok {CHANNEL:START_US:WIDTH_NS}… since it was last asked
 *   deaf                         -> ok CYCLES   the longest time without interrupts since it was last asked
 *   jump ADDRESS                 sends the processor astray (byte address)
 *   unplug · plug                close the line; open another -> ok NAME
 *   quit
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "avr_adc.h"
#include "avr_ioport.h"
#include "avr_timer.h"
#include "avr_twi.h"
#include "avr_uart.h"
#include "sim_avr.h"
#include "sim_elf.h"

#define HERTZ 16000000ULL
#define CYCLES_OF_US 16ULL
/* simavr 1.6 reckons eleven bits to a byte: its receiver takes one every 1496 cycles, where a real one at 117,647 baud
 * takes one every 1360. Bytes that come faster than it takes them it loses; a real part does not. */
#define CYCLES_OF_BYTE 1500ULL
#define DDRB_AT 0x24
#define TCCR1A_AT 0x80
#define STEP_US 1000ULL /* between two looks at the line, running freely */

static avr_t *avr;

/* The serial line */

static int master = -1, slave = -1;
static const char *link_path;
static uint8_t queue[1 << 16];
static size_t queue_in, queue_out; /* from the host, not yet heard */
static uint64_t from_host, to_host, heard_count, mark_at, marked_us;
static uint8_t outgoing[1 << 12];
static size_t outgoing_length;
static uint64_t hears_at; /* cycle at which the next byte may be heard */
static int frame_ended, frame_begun;
static avr_irq_t *uart_in;

static uint64_t now_us(void) { return avr->cycle / CYCLES_OF_US; }

static const char *open_line(void)
{
    master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    if (master < 0 || grantpt(master) || unlockpt(master))
        exit(3);
    const char *name = ptsname(master);
    slave = open(name, O_RDWR | O_NOCTTY); /* held open, so that a host may come and go */
    struct termios raw;
    tcgetattr(slave, &raw);
    cfmakeraw(&raw);
    tcsetattr(slave, TCSANOW, &raw);
    if (link_path) {
        unlink(link_path);
        if (symlink(name, link_path))
            exit(3);
    }
    return name;
}

static void close_line(void)
{
    close(slave);
    close(master);
    master = slave = -1;
    queue_in = queue_out = 0;
    if (link_path)
        unlink(link_path);
}

static void take_from_line(void)
{
    uint8_t bytes[512];
    if (master < 0)
        return;
    size_t room = sizeof queue - (queue_in - queue_out);
    ssize_t got = read(master, bytes, room < sizeof bytes ? room : sizeof bytes);
    for (ssize_t i = 0; i < got; i++)
        queue[queue_in++ % sizeof queue] = bytes[i];
    if (got > 0)
        from_host += got;
}

static void give_to_line(void)
{
    size_t done = 0;
    while (master >= 0 && done < outgoing_length) {
        ssize_t wrote = write(master, outgoing + done, outgoing_length - done);
        if (wrote < 0)
            break; /* nobody reads: lost, as on a real line */
        done += wrote;
    }
    to_host += outgoing_length;
    outgoing_length = 0;
}

static void said(struct avr_irq_t *irq, uint32_t value, void *param)
{
    (void)irq, (void)param;
    if (outgoing_length < sizeof outgoing)
        outgoing[outgoing_length++] = value;
    if (value & 0xFF)
        frame_begun = 1;
    else if (frame_begun)
        frame_ended = 1, frame_begun = 0;
}

static avr_cycle_count_t hear_next(avr_t *of, avr_cycle_count_t when, void *param)
{
    (void)of, (void)param;
    if (queue_out != queue_in) {
        avr_raise_irq(uart_in, queue[queue_out++ % sizeof queue]);
        if (++heard_count == mark_at)
            marked_us = now_us() + CYCLES_OF_BYTE / CYCLES_OF_US; /* the simulator hands it over a byte's time later */
    }
    hears_at = when + CYCLES_OF_BYTE;
    return hears_at;
}

/* Servo pulses, as the compare units send them to their pins: simavr lets any write to the port's other pins
 * overrule them on the pin itself, which the real part does not. */

#define MOST_PULSES 4096
static struct { int channel; uint64_t start, width; } pulses[MOST_PULSES];
static size_t pulse_count;
static uint64_t risen[2];

static void pin_changed(struct avr_irq_t *irq, uint32_t value, void *param)
{
    (void)irq;
    int channel = (int)(intptr_t)param;
    if (!(avr->data[DDRB_AT] & 2 << channel))
        return; /* the pin is no output yet */
    /* simavr tells a level, and not always the last one, again at overflows and whenever a register is written; a
     * compare unit that is set to clear its pin cannot have set it, nor the other way round. */
    if ((value & 1) != (avr->data[TCCR1A_AT] >> (6 - 2 * channel) & 1))
        return;
    if (value & 1) {
        if (!risen[channel])
            risen[channel] = avr->cycle;
    } else if (risen[channel]) {
        pulses[pulse_count % MOST_PULSES].channel = channel;
        pulses[pulse_count % MOST_PULSES].start = risen[channel];
        pulses[pulse_count++ % MOST_PULSES].width = avr->cycle - risen[channel];
        risen[channel] = 0;
    }
}

/* The MPU-6050: a register file on the I2C bus */

#define IMU_ADDRESS 0x68
#define IMU_NAME 0x75
#define IMU_POWER 0x6B
#define IMU_DATA 0x3B
static uint8_t imu[128];
static int imu_there = 1, imu_chosen, imu_index, imu_register;
static avr_irq_t *imu_irq;

static void imu_set(int axis, int value)
{
    imu[IMU_DATA + 2 * axis] = value >> 8;
    imu[IMU_DATA + 2 * axis + 1] = value;
}

static uint8_t imu_value(int at)
{
    int asleep = imu[IMU_POWER] & 0x40;
    return asleep && at >= IMU_DATA && at < IMU_DATA + 6 ? 0 : imu[at & 127];
}

static void imu_hears(struct avr_irq_t *irq, uint32_t value, void *param)
{
    (void)irq, (void)param;
    avr_twi_msg_irq_t message;
    message.u.v = value;
    if (message.u.twi.msg & TWI_COND_STOP)
        imu_chosen = 0;
    if (message.u.twi.msg & TWI_COND_START) {
        imu_chosen = imu_there && message.u.twi.addr >> 1 == IMU_ADDRESS ? message.u.twi.addr : 0;
        imu_index = 0;
        if (imu_chosen)
            avr_raise_irq(imu_irq + TWI_IRQ_INPUT, avr_twi_irq_msg(TWI_COND_ACK, imu_chosen, 1));
    }
    if (!imu_chosen)
        return;
    if (message.u.twi.msg & TWI_COND_WRITE) {
        avr_raise_irq(imu_irq + TWI_IRQ_INPUT, avr_twi_irq_msg(TWI_COND_ACK, imu_chosen, 1));
        if (imu_index++ == 0)
            imu_register = message.u.twi.data;
        else
            imu[imu_register++ & 127] = message.u.twi.data;
    }
    if (message.u.twi.msg & TWI_COND_READ)
        avr_raise_irq(imu_irq + TWI_IRQ_INPUT, avr_twi_irq_msg(TWI_COND_READ, imu_chosen, imu_value(imu_register++)));
}

static void begin_imu(void)
{
    static const char *names[TWI_IRQ_COUNT] = {"8>imu.out", "32<imu.in", "8>imu.status"};
    imu[IMU_NAME] = IMU_ADDRESS;
    imu[IMU_POWER] = 0x40; /* it wakes up asleep */
    imu_set(2, 16384);
    imu_irq = avr_alloc_irq(&avr->irq_pool, 0, TWI_IRQ_COUNT, names);
    avr_irq_register_notify(imu_irq + TWI_IRQ_OUTPUT, imu_hears, NULL);
    avr_connect_irq(imu_irq + TWI_IRQ_INPUT, avr_io_getirq(avr, AVR_IOCTL_TWI_GETIRQ(0), TWI_IRQ_INPUT));
    avr_connect_irq(avr_io_getirq(avr, AVR_IOCTL_TWI_GETIRQ(0), TWI_IRQ_OUTPUT), imu_irq + TWI_IRQ_OUTPUT);
}

/* Time */

static void no_sleep(avr_t *of, avr_cycle_count_t cycles) { (void)of, (void)cycles; }

static uint64_t heard_last, deaf_longest; /* cycles */

static void run_until(uint64_t cycle, int to_frame)
{
    frame_ended = 0;
    while (avr->cycle < cycle && !(to_frame && frame_ended)) {
        if (avr->cycle > hears_at + CYCLES_OF_BYTE) { /* a reset of the processor takes all timers with it */
            avr_cycle_timer_register(avr, CYCLES_OF_BYTE, hear_next, NULL);
            hears_at = avr->cycle + CYCLES_OF_BYTE;
        }
        int state = avr_run(avr);
        if (avr->sreg[S_I] || avr->cycle < heard_last)
            heard_last = avr->cycle;
        else if (avr->cycle - heard_last > deaf_longest)
            deaf_longest = avr->cycle - heard_last;
        if (state == cpu_Done || state == cpu_Crashed) {
            fprintf(stderr, "simrig: the processor stopped\n");
            exit(4);
        }
    }
    give_to_line();
}

static void wait_for_host(uint64_t count)
{
    while (from_host < count) {
        struct pollfd line = {master, POLLIN, 0};
        if (master < 0 || poll(&line, 1, 2000) <= 0)
            break;
        take_from_line();
    }
}

/* Commands */

static void reply(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vprintf(format, values);
    va_end(values);
    putchar('\n');
    fflush(stdout);
}

static void list_pulses(void)
{
    printf("ok");
    size_t first = pulse_count > MOST_PULSES ? pulse_count - MOST_PULSES : 0;
    for (size_t i = first; i < pulse_count; i++)
        printf(" %d:%llu:%llu", pulses[i % MOST_PULSES].channel,
               (unsigned long long)(pulses[i % MOST_PULSES].start / CYCLES_OF_US),
               (unsigned long long)(pulses[i % MOST_PULSES].width * 1000 / CYCLES_OF_US));
    pulse_count = 0;
    reply("");
}

static void obey(char *line)
{
    unsigned long long a, b;
    int x, y, z;
    if (sscanf(line, "run %llu %llu", &a, &b) == 2) {
        wait_for_host(b);
        run_until(avr->cycle + a * CYCLES_OF_US, 1);
        reply("ok %llu %llu", (unsigned long long)now_us(), (unsigned long long)to_host);
    } else if (sscanf(line, "adc %d %d", &x, &y) == 2) {
        avr_raise_irq(avr_io_getirq(avr, AVR_IOCTL_ADC_GETIRQ, ADC_IRQ_ADC0 + x), y);
        reply("ok");
    } else if (sscanf(line, "contact %d", &x) == 1) {
        avr_raise_irq(avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('D'), 2), !x);
        reply("ok");
    } else if (sscanf(line, "imu %d %d %d", &x, &y, &z) == 3) {
        imu_there = 1;
        imu_set(0, x), imu_set(1, y), imu_set(2, z);
        reply("ok");
    } else if (!strncmp(line, "imu off", 7)) {
        imu_there = 0;
        reply("ok");
    } else if (sscanf(line, "mark %llu", &a) == 1) {
        mark_at = a, marked_us = 0;
        reply("ok");
    } else if (!strncmp(line, "marked", 6)) {
        reply("ok %llu", (unsigned long long)marked_us);
    } else if (!strncmp(line, "pulses", 6)) {
        list_pulses();
    } else if (!strncmp(line, "deaf", 4)) {
        reply("ok %llu", (unsigned long long)deaf_longest);
        deaf_longest = 0;
    } else if (sscanf(line, "jump %llu", &a) == 1) {
        avr->pc = a;
        reply("ok");
    } else if (!strncmp(line, "unplug", 6)) {
        close_line();
        reply("ok");
    } else if (!strncmp(line, "plug", 4)) {
        reply("ok %s", open_line());
    } else {
        exit(0);
    }
}

static int read_line(char *line, size_t size)
{
    size_t length = 0;
    while (length < size - 1) {
        if (read(0, line + length, 1) != 1)
            return 0;
        if (line[length++] == '\n')
            break;
    }
    line[length] = 0;
    return 1;
}

static void run_freely(void)
{
    struct timespec begun, now;
    clock_gettime(CLOCK_MONOTONIC, &begun);
    char line[128];
    for (;;) {
        take_from_line();
        run_until(avr->cycle + STEP_US * CYCLES_OF_US, 0);
        clock_gettime(CLOCK_MONOTONIC, &now);
        int64_t wall = (now.tv_sec - begun.tv_sec) * 1000000LL + (now.tv_nsec - begun.tv_nsec) / 1000;
        int64_t ahead = (int64_t)now_us() - wall;
        struct pollfd table = {0, POLLIN, 0};
        if (poll(&table, 1, ahead > 1000 ? ahead / 1000 : 0) > 0) {
            if (!read_line(line, sizeof line))
                exit(0);
            obey(line);
        }
    }
}

static void quiet(avr_t *of, const int level, const char *format, va_list values)
{
    (void)of;
    if (level <= LOG_ERROR)
        vfprintf(stderr, format, values);
}

int main(int argc, char **argv)
{
    int is_free = 0;
    for (int i = 2; i < argc; i++) {
        if (!strcmp(argv[i], "--free"))
            is_free = 1;
        else if (!strcmp(argv[i], "--link") && i + 1 < argc)
            link_path = argv[++i];
    }
    elf_firmware_t firmware = {0};
    avr_global_logger_set(quiet);
    if (argc < 2 || elf_read_firmware(argv[1], &firmware)) {
        fprintf(stderr, "simrig: there is no firmware to run\n");
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    avr = avr_make_mcu_by_name("atmega328p");
    avr_init(avr);
    firmware.frequency = HERTZ;
    avr_load_firmware(avr, &firmware);
    avr->sleep = no_sleep;
    avr->vcc = avr->avcc = avr->aref = 5000;

    uint32_t flags = 0;
    avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
    uart_in = avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), said, NULL);
    for (intptr_t channel = 0; channel < 2; channel++)
        avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_TIMER_GETIRQ('1'), TIMER_IRQ_OUT_COMP + channel),
                                pin_changed, (void *)channel);
    avr_raise_irq(avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('D'), 2), 1);
    for (int channel = 0; channel < 2; channel++)
        avr_raise_irq(avr_io_getirq(avr, AVR_IOCTL_ADC_GETIRQ, ADC_IRQ_ADC0 + channel), 2500);
    begin_imu();
    reply("port %s", open_line());
    if (is_free)
        run_freely();
    char line[128];
    while (read_line(line, sizeof line))
        obey(line);
    return 0;
}
