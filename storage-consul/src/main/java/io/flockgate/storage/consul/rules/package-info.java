/**
 * Rules about a key and time: when a write is certain, and since when an entry has been unchanged.
 * The caller supplies the clock.
 */
@NullMarked
package io.flockgate.storage.consul.rules;

import org.jspecify.annotations.NullMarked;
