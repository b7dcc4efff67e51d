# Flockgate in a container: the line protocol on 6388, the REST API and metrics on 6389. Flags may be appended:
#   docker run -p 6388:6388 -p 6389:6389 flockgate --max-locks=100000

FROM maven:3-eclipse-temurin-25 AS build
WORKDIR /src
COPY . .
RUN mvn -B -ntp -q -DskipTests -Dspotless.check.skip=true -pl gateway -am package
# Libraries are apart from our own jars, because they change less often. All files get one old date: the launcher
# recognises a cache by its files and their dates, and ls shows dates of the last half year differently.
RUN mkdir -p /out/libraries/gateway/target/lib /out/own/gateway/target/lib \
    && cp flockgate /out/own \
    && cp gateway/target/flockgate.jar /out/own/gateway/target \
    && cp gateway/target/lib/* /out/libraries/gateway/target/lib \
    && mv /out/libraries/gateway/target/lib/flockgate-*.jar /out/own/gateway/target/lib \
    && find /out -exec touch -d 2020-01-01T00:00:00Z {} +

FROM eclipse-temurin:25-jre
COPY --from=build /out/libraries /opt/flockgate
COPY --from=build /out/own /opt/flockgate
# The first start makes the cache that shortens later starts, with the JVM that will use it: one for the server, one for commands.
RUN DFLOCKD_HTTP_PORT=6389 /opt/flockgate/flockgate --version && /opt/flockgate/flockgate health --help \
    && ls /opt/flockgate/gateway/target/flockgate-http-*.aot /opt/flockgate/gateway/target/flockgate-command-*.aot
USER 10001:10001
ENV DFLOCKD_HOST=0.0.0.0 \
    DFLOCKD_PORT=6388 \
    DFLOCKD_HTTP_PORT=6389
EXPOSE 6388 6389
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 CMD ["/opt/flockgate/flockgate", "health", "--pid", "1"]
ENTRYPOINT ["/opt/flockgate/flockgate"]
