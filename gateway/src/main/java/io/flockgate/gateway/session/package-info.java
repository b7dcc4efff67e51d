/**
 * One client's claims, whichever protocol it speaks: acquire, enqueue, wait, release, renew,
 * disconnect. Knows the storage contract and an event loop, but no bytes, sockets or HTTP.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.gateway.session;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
