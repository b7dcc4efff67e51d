# Completion of flockgate for fish: commands, options, files, and keys from `flockgate ls`.
# Only names that a shell reads as they are, because any client may choose a name.
function __flockgate_keys
    flockgate ls 2>/dev/null | awk 'NR > 1 && $1 ~ /^[A-Za-z0-9][A-Za-z0-9._:\/@%+-]*$/ { print $1 }'
end

set -l commands serve run lock ls show release renew limit drain undrain fleetlock health token
set -l client --server --auth-token-file --auth-token --ca-file --help
set -l files --fence-state-file --data-dir --consul-token-file --consul-ca-file --consul-client-cert --consul-client-key --tls-cert --tls-key --tls-client-ca --auth-token-file --tokens-file --ca-file
set -l switches --auto-release-on-disconnect --http-page --fleetlock-volatile --log-grants --debug --version --help --quiet --json --waiting --watch --force --foreign --ready

function __flockgate_options -S -a condition
    for option in $argv[2..]
        set -l name (string sub -s 3 -- $option)
        if contains -- $option $files
            complete -c flockgate -n "$condition" -l $name -r -F
        else if contains -- $option $switches
            complete -c flockgate -n "$condition" -l $name
        else if contains -- $option --key --prefix
            complete -c flockgate -n "$condition" -l $name -x -a '(__flockgate_keys)'
        else
            complete -c flockgate -n "$condition" -l $name -x
        end
    end
end

complete -c flockgate -f
complete -c flockgate -n __fish_use_subcommand -a "$commands"
__flockgate_options "not __fish_seen_subcommand_from $commands[2..]" \
    --host --port --read-timeout --write-timeout --max-connections --max-connections-per-ip \
    --proxy-protocol --auto-release-on-disconnect --event-loops --default-lease-ttl --lease-sweep-interval --gc-interval \
    --gc-max-idle --max-locks --max-holders --max-holders-per-client --max-waiters \
    --storage --node-name --data-dir --fence-state-file --consul-addr \
    --consul-token --consul-token-file --consul-ca-file --consul-client-cert --consul-client-key --consul-dc \
    --consul-namespace --consul-partition --consul-prefix --consul-session-ttl --consul-holders --consul-fence-base \
    --consul-map --consul-watches --tls-cert --tls-key --tls-client-ca --auth-token \
    --auth-token-file --tokens-file --http-port --http-host --http-session-idle-timeout --http-max-sessions \
    --http-max-sessions-per-ip --http-max-connections --http-max-connections-per-ip \
    --http-rate-limit-per-ip --http-rate-limit-burst --http-allowed-hosts --http-cors-allowed-origins \
    --http-max-event-streams --http-page --http-page-url --fleetlock-groups \
    --fleetlock-path-prefix --fleetlock-volatile --fleetlock-stale-after --fleetlock-window --shutdown-timeout \
    --shutdown-delay --log-grants --debug --help --version
__flockgate_options '__fish_seen_subcommand_from run' $client --key --limit --wait --lease --name --on-loss --grace --lost-status --not-acquired-status --quiet --json
__flockgate_options '__fish_seen_subcommand_from lock' $client --for --limit --wait --lease --name --quiet --json
__flockgate_options '__fish_seen_subcommand_from ls' $client --prefix --holder --waiting --sort --watch --json
__flockgate_options '__fish_seen_subcommand_from show' $client --json
__flockgate_options '__fish_seen_subcommand_from release' $client --force --fence --waiter --reason --foreign --json
__flockgate_options '__fish_seen_subcommand_from renew' $client --lease --json
__flockgate_options '__fish_seen_subcommand_from drain' $client --reason
__flockgate_options '__fish_seen_subcommand_from limit' $client --json --reason
__flockgate_options '__fish_seen_subcommand_from undrain' $client --reason
__flockgate_options '__fish_seen_subcommand_from fleetlock' $client --reason --fence --json
complete -c flockgate -n '__fish_seen_subcommand_from fleetlock' -a 'ls unlock pause resume id'
__flockgate_options '__fish_seen_subcommand_from health' --ready --pid --help
__flockgate_options '__fish_seen_subcommand_from token' --name --allow --help
complete -c flockgate -n '__fish_seen_subcommand_from token' -a 'new'
complete -c flockgate -n '__fish_seen_subcommand_from show release renew limit' -a '(__flockgate_keys)'
functions -e __flockgate_options
