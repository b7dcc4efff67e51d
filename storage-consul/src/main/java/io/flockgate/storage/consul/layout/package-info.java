/**
 * The format of keys in Consul, in the terms of a storage: the location of each key, and the kind
 * and client of a mark. Pure.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.storage.consul.layout;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
