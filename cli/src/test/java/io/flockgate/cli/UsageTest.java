package io.flockgate.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Command lines that cannot be read, none of which reaches a server. */
class UsageTest {
    private final Shell shell = new Shell();

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            run --key= -- true                                       | the key is empty
            run --key=a\u00e4 -- true                                | printable ASCII
            run --key=LONG -- true                                   | has 257 characters; the maximum is 200
            run --lease=1.5s --key=k -- true                         | --lease must be whole seconds
            run --lease=25h --key=k -- true                          | from 1s to 24h, like 30s, 5m or 1h (got "25h")
            run --lease=30s --grace=20s --key=k -- true              | --grace must be under 12000ms
            run --limit=0 --key=k -- true                            | --limit must be > 0 (got 0)
            run --limit=x --key=k -- true                            | --limit must be an integer
            run --wait=never --key=k -- true                         | --wait must be a time like 30s, 5m, 0 or forever (got
            run --on-loss=kil --key=k -- true                        | must be kill, term or ignore
            run --lost-status=256 --key=k -- true                    | --lost-status must be between 0 and 255
            run --kee=k -- true                                      | unknown option "--kee": did you mean --key?
            run -- true                                              | --key is missing (see
            run deploy -- true                                       | --key is missing: did you mean --key "deploy"?
            run --key=k true                                         | the command is missing: write it after --
            run --key=k --                                           | the command is missing: write it after --
            run --key=k true -- true                                 | unexpected word "true"
            run --key=k -- echo fine a\uFFFD                         | argument 2 of the command cannot be passed on unchanged: it is not UTF-8
            lock                                                     | the key is missing (see --help)
            lock a b                                                 | unexpected word "b" (see --help)
            lock deploy --for=1.5s                                   | --for must be whole seconds from 1s to 24h, like 30s, 5m or 1h (got "1.5s")
            lock deploy --for=5s --lease=6s                          | --for is the lease: give it without --lease
            lock a\u00a0b --for=5s                                   | the key may only have printable ASCII characters without blanks
            lock a --for=5s --name=a\u00a0b                          | the client name may only have printable ASCII characters without blanks
            ls k                                                     | unexpected word "k"
            ls --prefx k                                             | did you mean --prefix?
            ls --sort size                                           | --sort must be key, waiters or held
            show                                                     | the key is missing
            show --key k                                             | the key is a word, as in flockgate show deploy
            show -key=k                                              | the key is a word, as in flockgate show deploy
            release                                                  | the key is missing
            release k                                                | the token is missing
            release k t u                                            | unexpected word "u"
            release k t --lease 5s                                   | unknown option "--lease"
            release LONG t                                           | the key has 257 bytes; the maximum is 256
            release a --force --fence 18a6c3f2b91d4007               | --reason is missing
            release a --force --reason x                             | --force needs --reason, and either --fence or --waiter
            release a --force --reason x --fence 1 --waiter 2        | and either --fence or --waiter
            release a --force --reason x --waiter 2 --foreign        | --foreign is for --fence only
            release a --fence 18a6c3f2b91d4007                       | --fence needs --force
            release a --force --reason x --fence 18a6x3f2b91d4007    | --fence must be 16 hex digits or a decimal
            release a --force --reason x --fence -1                  | --fence must be 16 hex digits or a decimal
            renew k t --lease 1.5s                                   | --lease must be whole seconds
            renew a --force                                          | unknown option
            limit a 2                                                | --reason is missing
            limit a 0 --reason x                                     | the limit must be a whole number of at least 1
            drain                                                    | --reason is missing
            drain --reason x --server http://a:1,http://b:1          | drain is for one gateway
            undrain now                                              | unexpected word
            fleetlock                                                | one of ls, unlock, pause, resume, id is missing
            fleetlock rm                                             | unknown word "rm"
            fleetlock unlok                                          | unknown word "unlok": did you mean unlock?
            fleetlock release                                        | unknown word "release": did you mean unlock?
            fleetlock ls a b                                         | unexpected word "b"
            fleetlock resume                                         | the group is missing
            fleetlock unlock g                                       | the id is missing
            fleetlock pause default                                  | --reason is missing
            fleetlock id a b                                         | unexpected word "b"
            fleetlock id x                                           | a machine id has 32 hex digits
            token                                                    | the word new is missing (see --help)
            token old                                                | unknown word "old": did you mean new? (see --help)
            token new more                                           | unexpected word "more" (see --help)
            token new --nme x                                        | unknown option "--nme": did you mean --name? (see --help)
            token new --name auth-token                              | --name must be 1 to 64 printable characters
            token new --allow all --allow lock                       | --allow: unknown right lock
            token new --allow                                        | --allow needs a value (see --help)
            """)
    void aLineThatCannotBeReadGivesStatus2(String line, String words) {
        assertRefused(line.replace("LONG", "x".repeat(257)), words);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ls --server=http://a,https://b                           | of one kind, and there are http and https
            run --key=k --server=a:1,flockgates://b:1 -- true        | of one kind
            ls --server=consul://a                                   | unknown scheme
            ls --server=::                                           | a server's address
            ls --server=http://me:hidden@a                           | no user or password
            ls --server=http://a,                                    | must be like
            run --key=k --server=http://127.0.0.1:1 -- true          | set --server or FLOCKGATE_SERVER to flockgate://127.0.0.1:6388
            lock deploy --for=5s --server=https://gate-1:6389        | https://gate-1:6389 is an address of the REST API, and this command speaks the line protocol: set --server or FLOCKGATE_SERVER to flockgates://gate-1:6388, or with the --port of the gateway
            release k 18ea0b56688fb15e --server=http://127.0.0.1:1   | to flockgate://127.0.0.1:6388
            renew k 18ea0b56688fb15e --server=http://127.0.0.1:1     | to flockgate://127.0.0.1:6388
            ls --server=http://127.0.0.1:1 --auth-token=hidden\u00e9 | the token must be one line of ASCII
            ls --auth-token-file=/none                               | --auth-token-file: cannot read "/none"
            run --key=k --server=flockgates://a --ca-file=EMPTY -- a | it contains no certificate
            ls --ca-file=EMPTY                                       | it contains no certificate
            """)
    void aServerThatCannotBeAskedGivesStatus2(String line, String words) throws IOException {
        Path empty = Files.createFile(directory.resolve("ca.pem"));
        assertRefused(line.replace("EMPTY", empty.toString()), words);
    }

    private void assertRefused(String line, String words) {
        assertThat(shell.run(line)).isEqualTo(2);
        assertThat(shell.err())
                .startsWith("flockgate " + line.replaceFirst(" .*", "") + ": ")
                .contains(words)
                .doesNotContain("hidden")
                .hasLineCount(1);
        assertThat(shell.out()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"lock deploy --for=5s, 69", "renew deploy 01, 1", "ls, 1", "undrain, 1"})
    void aServerThatIsNotThereIsNamedWithAHint(String line, int status) {
        assertThat(shell.run(line)).isEqualTo(status);
        assertThat(shell.err())
                .startsWith("flockgate " + line.replaceFirst(" .*", "") + ": ")
                .endsWith("no server can be reached: 127.0.0.1:1: connection refused. Is a gateway running there"
                        + " (for http://, with --http-port)? Otherwise set --server or FLOCKGATE_SERVER\n");
    }
}
