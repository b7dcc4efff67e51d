/**
 * The parts that storages for rosters share: a call from its arrival to its answer, the queue in
 * front of a worker, and the document in which a roster is stored.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.roster.support;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
