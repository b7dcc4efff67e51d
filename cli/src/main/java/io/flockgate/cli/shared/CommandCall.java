package io.flockgate.cli.shared;

import java.io.PrintStream;
import java.util.List;
import java.util.Map;

/**
 * A call of a sub-command.
 *
 * @param args what follows the word of the sub-command
 * @param environment the caller's variables
 */
public record CommandCall(List<String> args, Map<String, String> environment, PrintStream out, PrintStream err) {}
