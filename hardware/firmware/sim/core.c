/* The pure parts of the firmware as a library: what it sends is kept until it is taken. */
#include <string.h>

#include "rig.h"

static uint8_t sent[1 << 16];
static uint32_t sent_length;

uint8_t send_frame(const uint8_t *frame, uint8_t length)
{
    if (length > sizeof sent - sent_length)
        return 0;
    memcpy(sent + sent_length, frame, length);
    sent_length += length;
    return 1;
}

uint32_t core_take(uint8_t *into)
{
    uint32_t length = sent_length;
    memcpy(into, sent, length);
    sent_length = 0;
    return length;
}

void core_begin(const struct calibration *stored)
{
    sent_length = 0;
    rig_begin(0, 0, stored);
}

void core_bytes(const uint8_t *bytes, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++)
        rig_byte(bytes[i]);
}

void core_ticks(uint32_t count)
{
    while (count--) {
        rig_out.store = 0;
        rig_tick();
    }
}

struct inputs *core_inputs(void) { return &rig_in; }
struct outputs *core_outputs(void) { return &rig_out; }
