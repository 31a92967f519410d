# docker build -t ptxlint . && docker run --rm -v "$PWD:/src" ptxlint build/
FROM debian:12-slim AS build
COPY . /ptxlint
WORKDIR /ptxlint
RUN ./tools/setup.sh && meson setup build -Dhardening=true && ninja -C build ptxlint && python3 tests/shipped/check-hardening.py build/ptxlint

FROM debian:12-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends libjansson4 libcsv3 libyaml-0-2 libpopt0 libutf8proc2 libxxhash0 libmd4c0 \
        libelf1 liblz4-1 libzstd1 zlib1g liblzma5 \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /ptxlint/build/ptxlint /usr/local/bin/ptxlint
USER nobody
WORKDIR /src
ENTRYPOINT ["ptxlint"]
