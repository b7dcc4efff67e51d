/**
 * A fence at work: a holder that was paused writes too late, and the resource refuses the write.
 */
@NullMarked
package io.flockgate.example.fencing;

import org.jspecify.annotations.NullMarked;
