/* An MPU-6050 at address 0x68, its accelerometer alone, by interrupts: nothing waits for the bus. */
#ifndef IMU_H
#define IMU_H

#include <stdint.h>

void imu_begin(void);

/* Every ms: looks for the sensor, wakes it and reads it in turn. The reading is 16384 to 1 g, and 0 without a sensor. */
void imu_tick(int16_t acceleration[3], uint8_t *is_there);

#endif
