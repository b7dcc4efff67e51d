package io.flockgate.cli.run;

import io.flockgate.cli.run.RunOptions.OnLoss;
import io.flockgate.cli.run.SignalInbox.Caught;
import io.flockgate.cli.shared.CommandException;
import io.flockgate.text.Reason;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/**
 * A shell beside the command, which ends the command if this process dies without notice. It also
 * passes signals to the command.
 *
 * <ol>
 *   <li>It reads a pipe that only this process writes to. The first line, written before the
 *       command starts, is the grant's token. The second is the command's process id. Other lines
 *       are signals to pass on.
 *   <li>A signal to the whole process group or control group has reached the command as well as
 *       this shell, which notes those signals, and passes only others on. A command that has left
 *       the process group gets all. A signal with an exclamation mark is passed in any case: it
 *       came while the command was being started.
 *   <li>At the word {@code end} it exits: the command has ended, and nothing is left to do.
 *   <li>The end of the pipe means that this process is dead, so the lease is no longer renewed. The
 *       shell sends TERM to the command, its descendants, and all processes with the token in their
 *       environment. The token also finds a command that has only just started. After the grace it
 *       kills the remaining ones.
 *   <li>If the lease was lost before ({@code lost}), TERM has already been sent, and the shell
 *       kills at once.
 * </ol>
 *
 * <p>The start time shows whether a process id still belongs to the same process. Without {@code
 * /proc} only the command itself is ended.
 */
final class Guard implements AutoCloseable {
    /**
     * Without subshells until the end of the pipe, because a signal to the group would end them.
     */
    static final String SCRIPT = """
            trap '' QUIT TSTP
            for each in INT HUP TERM USR1 USR2 WINCH; do trap "seen_$each=1 any=1" $each; done
            # A signal ends a read, as the end of the pipe does.
            next() { any=; until read -r "$1"; do [ -n "$any" ] || return 1; any=; done; }
            look() { group= birth= stat=
                [ ! -r "/proc/$1/stat" ] || read -r stat <"/proc/$1/stat"
                set -- ${stat##*)}; group=${3:-} birth=${20:-}; } 2>/dev/null
            pass() { eval "seen=\\$seen_$1; seen_$1="; look "$pid"
                [ -n "$seen" ] && [ "$group" = "$ours" ] || kill -s "$1" "$pid"; }
            born() { look "$1"; echo "$birth"; }
            tree() { for each in $(cat "/proc/$1/task/"*/children 2>/dev/null); do
                echo "$each:$(born "$each")"; tree "$each"; done; }
            send() { for each in $2; do
                [ "$(born "${each%:*}")" = "${each#*:}" ] && kill -s "$1" "${each%:*}"; done; }
            alive() { for each in $1; do
                [ "$(born "${each%:*}")" = "${each#*:}" ] && kill -s 0 "${each%:*}" && return 0; done; return 1; }
            marked() { printf 'FLOCKGATE_LEASE_TOKEN=%s\n' "$token" | grep -slF -f - /proc/[0-9]*/environ |
                while read -r file; do each=${file#/proc/}; each=${each%/environ}; echo "$each:$(born "$each")"; done; }
            everything() { [ -z "$pid" ] || { echo "$self"; tree "$pid"; }; marked; }
            tenths=$1 mode=$2 pid=
            look $$
            ours=$group
            next token || exit 0
            if next pid; then
                [ "$pid" != end ] || exit 0
                look "$pid"
                self="$pid:$birth"
                while next word; do
                    case $word in
                        end) exit 0 ;;
                        lost) tenths=0 ;;
                        *!) eval "seen_${word%!}="; pass "${word%!}" ;;
                        *) pass "$word" ;;
                    esac
                done
            fi
            trap '' INT HUP TERM USR1 USR2 WINCH
            [ "$mode" != ignore ] || exit 0
            [ -n "$pid" ] || sleep 0.2
            all=$(everything)
            if [ "$tenths" -gt 0 ] || [ "$mode" = term ]; then send TERM "$all"; send CONT "$all"; fi
            [ "$mode" = kill ] || exit 0
            while [ "$tenths" -gt 0 ] && alive "$all"; do sleep 0.1; tenths=$((tenths - 1)); done
            send KILL "$all $(everything)"
            """;

    private static final int TENTH_MILLIS = 100;

    private final Process shell;

    private Guard(Process shell) {
        this.shell = shell;
    }

    /**
     * @throws CommandException if there is no shell
     */
    static Guard start(String token, Duration grace, OnLoss onLoss) {
        List<String> line = List.of(
                "/bin/sh",
                "-c",
                SCRIPT,
                "flockgate-guard",
                Long.toString(grace.toMillis() / TENTH_MILLIS),
                onLoss.word());
        ProcessBuilder builder = new ProcessBuilder(line);
        builder.redirectOutput(Redirect.DISCARD).redirectError(Redirect.DISCARD);
        try {
            Guard guard = new Guard(builder.start());
            guard.write(token);
            return guard;
        } catch (IOException e) {
            throw Statuses.endedBySignal(e)
                    .orElseGet(() -> CommandException.withStatus(
                            Statuses.NOT_EXECUTABLE,
                            "cannot start /bin/sh, which guards the command: " + Reason.of(e)));
        }
    }

    void watch(long pid) {
        write(Long.toString(pid));
    }

    /**
     * Passes a signal to the command, unless it has received the signal itself, which one that came
     * early may not have.
     */
    void pass(Caught signal) {
        write(signal.early() ? signal.name() + "!" : signal.name());
    }

    long pid() {
        return shell.pid();
    }

    boolean isAlive() {
        return shell.isAlive();
    }

    /** The lease is lost, and the command has been notified. */
    void markLost() {
        write("lost");
    }

    private synchronized void write(String line) {
        try {
            OutputStream pipe = shell.getOutputStream();
            pipe.write((line + "\n").getBytes(StandardCharsets.US_ASCII));
            pipe.flush();
        } catch (IOException e) {
            // The shell was killed. The command continues without a guard.
        }
    }

    /** Ends the shell: the command has ended, or was never started. */
    @Override
    public void close() {
        write("end");
    }
}
