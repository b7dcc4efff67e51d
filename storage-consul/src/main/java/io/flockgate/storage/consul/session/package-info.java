/** The gateway's sessions in Consul: made, renewed, given up in time when Consul cannot be reached. */
@NullMarked
@CheckReturnValue
package io.flockgate.storage.consul.session;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
