/**
 * The back end that speaks the line protocol to Flockgate or dflockd. Not exported: {@code
 * Flockgate.connect} creates it.
 */
@NullMarked
package io.flockgate.client.tcp;

import org.jspecify.annotations.NullMarked;
