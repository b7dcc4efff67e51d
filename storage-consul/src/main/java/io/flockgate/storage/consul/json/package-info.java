/** A strict, bounded reader and writer of JSON for values, over Jackson's streaming parser. */
@NullMarked
package io.flockgate.storage.consul.json;

import org.jspecify.annotations.NullMarked;
