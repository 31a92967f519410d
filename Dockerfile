# docker build -t ptxlint . && docker run --rm -v "$PWD:/src" ptxlint build/
FROM debian:12-slim AS build
COPY . /ptxlint
WORKDIR /ptxlint
RUN ./tools/setup.sh && meson setup build -Dhardening=true && ninja -C build ptxlint ptxlint-measure && python3 tests/shipped/check-hardening.py build/ptxlint

FROM debian:12-slim
COPY --from=build /ptxlint/build/ptxlint /usr/local/bin/ptxlint
COPY --from=build /ptxlint/build/ptxlint-measure /usr/local/lib/ptxlint/ptxlint-measure
USER nobody
WORKDIR /src
ENTRYPOINT ["ptxlint"]
