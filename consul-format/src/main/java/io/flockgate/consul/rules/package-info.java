/**
 * Rules over a key and the time: when a write is certain, and since when something has not changed.
 * The caller has the clock.
 */
@NullMarked
package io.flockgate.consul.rules;

import org.jspecify.annotations.NullMarked;
