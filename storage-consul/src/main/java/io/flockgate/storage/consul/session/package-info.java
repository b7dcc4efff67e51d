/**
 * The sessions of this gateway in Consul. They are renewed, and given up in time when Consul does
 * not answer.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.storage.consul.session;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
