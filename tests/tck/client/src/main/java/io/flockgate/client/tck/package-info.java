/**
 * The contract of every back end for leases, as JUnit tests to extend, and the tools to write such
 * tests without waiting.
 */
@NullMarked
package io.flockgate.client.tck;

import org.jspecify.annotations.NullMarked;
