/** Tests of the bare HTTP server. */
@NullMarked
package io.flockgate.bench.http;

import org.jspecify.annotations.NullMarked;
