/** The page for operators in a real browser. */
@NullMarked
package io.flockgate.gateway.server.page;

import org.jspecify.annotations.NullMarked;
