/**
 * One client's claims, whichever protocol it speaks: acquire, enqueue, wait, release, renew, going
 * away. Knows the storage contract and an event loop; knows no bytes, no sockets and no HTTP.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.gateway.session;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
