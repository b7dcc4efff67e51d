# Flockgate in a container: the line protocol on 6388, the REST API and metrics on 6389. Flags may be appended:
#   docker run -p 6388:6388 -p 6389:6389 flockgate:local --max-locks=100000
#
# The image has the distribution's own Java (deploy/dist/build), and of a system only what that needs. The base images have no digest yet, because this
# was written where no registry can be reached. To pin or renew one: 'docker buildx imagetools inspect IMAGE' prints its digest; put it behind
# the tag, as IMAGE@sha256:…. Both then go through one build and 'deploy/dist-check.sh' before they are committed.

FROM maven:3-eclipse-temurin-25 AS build
WORKDIR /src
COPY . .
RUN mvn -B -ntp -q -DskipTests -Dspotless.check.skip=true -pl gateway -am package \
    && sh deploy/dist/build image "$(sed -n 's:.*<project.build.outputTimestamp>\(.*\)</.*:\1:p' pom.xml)" /out \
    && mv "$(find /out -maxdepth 1 -type d -name 'flockgate-image-*')" /out/flockgate

FROM debian:13-slim
COPY --from=build /out/flockgate /opt/flockgate
# The caches that shorten the start, made by the Java that will use them, and the health check as a file, so that it needs no shell. The directory for --data-dir belongs to the user, and so does a new
# volume that is mounted there.
RUN FLOCKGATE_AOT=make /opt/flockgate/bin/flockgate \
    && ls /opt/flockgate/cache/flockgate-http-*.aot /opt/flockgate/cache/flockgate-command-*.aot /opt/flockgate/cache/flockgate-health-*.aot \
    && FLOCKGATE_ARGUMENTS=/opt/flockgate/health /opt/flockgate/bin/flockgate health --pid 1 \
    && install -d -m 0700 -o 10001 -g 10001 /var/lib/flockgate
USER 10001:10001
ENV DFLOCKD_HOST=0.0.0.0 \
    DFLOCKD_PORT=6388 \
    DFLOCKD_HTTP_PORT=6389
EXPOSE 6388 6389
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 CMD ["/opt/flockgate/runtime/bin/java", "@/opt/flockgate/health"]
ENTRYPOINT ["/opt/flockgate/bin/flockgate"]
