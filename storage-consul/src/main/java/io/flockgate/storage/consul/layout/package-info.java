/**
 * The format of keys in Consul, in the terms of a storage: where each key lives, and which kind and
 * client a mark means. Pure.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.storage.consul.layout;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
