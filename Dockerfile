# docker build -t ptxlint . && docker run --rm -v "$PWD:/src" ptxlint build/
FROM debian:12-slim AS build
COPY . /ptxlint
WORKDIR /ptxlint
RUN ./tools/setup.sh && meson setup build -Dhardening=true && ninja -C build ptxlint && python3 tests/shipped/check-hardening.py build/ptxlint

FROM debian:12-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends libmd4c0 \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /ptxlint/build/ptxlint /usr/local/bin/ptxlint
USER nobody
WORKDIR /src
ENTRYPOINT ["ptxlint"]
