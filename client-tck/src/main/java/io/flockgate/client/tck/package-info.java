/**
 * What every back end of leases must do, as JUnit tests to extend, and the means to write such
 * tests without waiting.
 */
@NullMarked
package io.flockgate.client.tck;

import org.jspecify.annotations.NullMarked;
