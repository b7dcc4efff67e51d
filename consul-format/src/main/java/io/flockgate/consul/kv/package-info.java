/**
 * Consul's key-value store as values: entries, operations, the results of transactions, and what
 * its errors mean.
 */
@NullMarked
package io.flockgate.consul.kv;

import org.jspecify.annotations.NullMarked;
