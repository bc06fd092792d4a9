#include "frame.h"

static uint16_t crc_step(uint16_t crc, uint8_t byte)
{
    /* The polynomial 0x1021 eight bits at a time, without a table. */
    uint8_t x = (uint8_t)(crc >> 8) ^ byte;
    x ^= x >> 4;
    return (uint16_t)((crc << 8) ^ ((uint16_t)x << 12) ^ ((uint16_t)x << 5) ^ x);
}

uint16_t crc16(const uint8_t *bytes, uint8_t length)
{
    uint16_t crc = 0xFFFF;
    for (uint8_t i = 0; i < length; i++)
        crc = crc_step(crc, bytes[i]);
    return crc;
}

static void put(struct deframer *at, uint8_t byte)
{
    if (at->length < PACKET_MAX)
        at->packet[at->length++] = byte;
    else
        at->broken = 1;
}

static uint8_t finished(const struct deframer *at)
{
    if (at->broken || at->left || at->length < sizeof(struct head) + 2)
        return FRAME_BAD;
    uint8_t length = at->length - 2;
    uint16_t crc = (uint16_t)(at->packet[length] | at->packet[length + 1] << 8);
    return crc16(at->packet, length) == crc ? FRAME_GOOD : FRAME_BAD;
}

uint8_t deframe(struct deframer *at, uint8_t byte)
{
    if (!at->taken)
        at->length = at->left = at->owed = at->broken = 0;
    if (byte == 0) {
        uint8_t was_empty = !at->taken;
        at->taken = 0;
        if (was_empty)
            return FRAME_NONE;
        uint8_t result = finished(at);
        if (result == FRAME_GOOD)
            at->length -= 2;
        return result;
    }
    if (at->taken < LONGEST)
        at->taken++;
    else
        at->broken = 1;
    if (at->broken)
        return FRAME_NONE;
    if (at->left) {
        put(at, byte);
        at->left--;
    } else {
        if (at->owed)
            put(at, 0);
        at->left = byte - 1;
        at->owed = byte != 0xFF;
    }
    return FRAME_NONE;
}

uint8_t enframe(uint8_t *packet, uint8_t length, uint8_t *frame)
{
    uint16_t crc = crc16(packet, length);
    packet[length++] = (uint8_t)crc;
    packet[length++] = (uint8_t)(crc >> 8);
    uint8_t code_at = 1, end = 2;
    frame[0] = 0;
    for (uint8_t i = 0; i < length; i++) {
        if (packet[i]) {
            frame[end++] = packet[i];
        } else {
            frame[code_at] = end - code_at;
            code_at = end++;
        }
    }
    frame[code_at] = end - code_at; /* packets are shorter than the 254 bytes at which COBS would need more */
    frame[end++] = 0;
    return end;
}
