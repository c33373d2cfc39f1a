/* How long the collector is waited for, and who may run meanwhile. */
#ifndef SLEUTH_WAITING_H
#define SLEUTH_WAITING_H

#include <stdint.h>

/* Wait until the word is no longer `value`; false: the collector is given up.  `yields`: after a few
 * milliseconds other threads run meanwhile. */
int wait_for_change(uint32_t *word, uint32_t value, int yields);
/* Let other threads run for a moment, or until the word is no longer `value`. */
void wait_aside(uint32_t *word, uint32_t value);
/* False: the collector has died, or shows no sign of life while it is waited for; it is given up. */
int wait_is_worth_it(void);

#endif
