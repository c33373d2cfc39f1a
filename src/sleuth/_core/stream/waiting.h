/* Waiting for the collector. */
#ifndef SLEUTH_WAITING_H
#define SLEUTH_WAITING_H

#include <stdint.h>

/* Wait until the word is no longer `value`; false: the collector does not answer any more.  `yields`: after a
 * few milliseconds other threads may run meanwhile. */
int wait_for_change(uint32_t *word, uint32_t value, int yields);
/* Wait for a moment, or until the word is no longer `value`; other threads may run meanwhile. */
void wait_aside(uint32_t *word, uint32_t value);
/* Tell whether the collector is alive.  If it has died, or its heartbeat stopped while it was waited for,
 * recording ends. */
int wait_is_worth_it(void);

#endif
