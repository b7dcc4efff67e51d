/**
 * Rules about a key and time: when a write is certain, and since when an entry has been unchanged.
 * The caller supplies the clock.
 */
@NullMarked
package io.flockgate.consul.rules;

import org.jspecify.annotations.NullMarked;
