package io.flockgate.roster;

import io.flockgate.options.OptionValues;
import io.vertx.core.Vertx;
import java.time.InstantSource;

/**
 * The settings of a storage for rosters. Safe to print.
 *
 * @param vertx for those that need timers or workers
 * @param clock tells people when members joined; nothing is decided by it
 * @param gateway this gateway's node name
 * @param options those that the storage of the same name declares
 */
public record RosterSettings(Vertx vertx, InstantSource clock, String gateway, OptionValues options) {}
