/** The options of the storage {@code consul}: what they are called, which texts they take, and what they mean. */
@NullMarked
@CheckReturnValue
package io.flockgate.storage.consul.config;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
