package io.flockgate.roster;

import io.flockgate.options.OptionValues;
import io.vertx.core.Vertx;
import java.time.InstantSource;

/**
 * The settings of a storage for rosters. Safe to print.
 *
 * @param vertx for storages that need timers or workers
 * @param clock the time of day, for people; rules use it only to limit how often a member that asks
 *     again is stored
 * @param gateway this gateway's node name
 * @param options the options that the storage of the same name declares
 */
public record RosterSettings(Vertx vertx, InstantSource clock, String gateway, OptionValues options) {}
