/** Environments for tests. */
@NullMarked
package io.flockgate.storage.consul.environment;

import org.jspecify.annotations.NullMarked;
