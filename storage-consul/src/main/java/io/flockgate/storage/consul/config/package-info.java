/** The options of the storage {@code consul}: their names, texts and meaning. */
@NullMarked
@CheckReturnValue
package io.flockgate.storage.consul.config;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
