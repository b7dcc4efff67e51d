/**
 * Gateways as processes, clients of the line protocol, faulty networks and waiting, for tests and
 * measurements. Not released.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.testsupport;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
