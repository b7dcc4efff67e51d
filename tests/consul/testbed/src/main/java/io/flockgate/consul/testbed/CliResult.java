package io.flockgate.consul.testbed;

/**
 * The result of a command.
 *
 * @param exitCode above 128 if a signal ended the command
 * @param output standard output and standard error, interleaved as they arrived
 */
public record CliResult(int exitCode, String output) {}
