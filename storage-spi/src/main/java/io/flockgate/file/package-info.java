/** Files: made durable, read safely, and read again when they change. */
@NullMarked
@CheckReturnValue
package io.flockgate.file;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
