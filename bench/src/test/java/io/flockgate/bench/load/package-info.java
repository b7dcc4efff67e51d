@NullMarked
@CheckReturnValue
package io.flockgate.bench.load;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
