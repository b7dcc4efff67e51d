/**
 * The layout of keys in Consul: names, values, the view of one key, and the transactions that change it. Pure: no clock, no
 * thread, no I/O.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.storage.consul.layout;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
