/* COBS and CRC-16: bytes in, whole packets out, and back. Pure. */
#ifndef FRAME_H
#define FRAME_H

#include <stdint.h>

#include "protocol.h"

#define PACKET_MAX (LONGEST - 1) /* what COBS leaves of the longest frame, CRC included */
#define FRAME_MAX (LONGEST + 2)  /* with its zeros */

struct deframer {
    uint8_t packet[PACKET_MAX];
    uint8_t length; /* bytes of the packet so far */
    uint8_t left;   /* bytes until the next code; 0: the next byte is one */
    uint8_t owed;   /* a zero is due before the next code's bytes */
    uint8_t taken;  /* bytes of the frame so far, as far as they count */
    uint8_t broken;
};

/* What a byte ended. */
#define FRAME_NONE 0
#define FRAME_GOOD 1
#define FRAME_BAD 2

uint16_t crc16(const uint8_t *bytes, uint8_t length);

/* Takes one byte; at FRAME_GOOD packet and length hold the packet without its CRC until the next byte. */
uint8_t deframe(struct deframer *at, uint8_t byte);

/* Writes the frame of a packet with its zeros and returns its length; the packet has room for two more bytes. */
uint8_t enframe(uint8_t *packet, uint8_t length, uint8_t *frame);

#endif
