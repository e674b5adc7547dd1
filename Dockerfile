# pinfold, built and ready, on the Debian that it is made for:
#
#     docker build -t pinfold . && docker run --rm pinfold -c 'seq 3 | paste -sd+ | bc'
#
# The first stage is what .devcontainer uses; the last has the wheel and nothing of the build.
FROM debian:12 AS tools
COPY tools/setup /tmp/tree/tools/setup
COPY guest/programs/js/CMakeLists.txt /tmp/tree/guest/programs/js/
RUN apt-get update && apt-get install -y --no-install-recommends make git ca-certificates \
    && /tmp/tree/tools/setup && rm -rf /var/lib/apt/lists/* /tmp/tree

FROM tools AS build
COPY . /src
WORKDIR /src
RUN rm -rf dist && make wheels

FROM debian:12-slim
RUN apt-get update && apt-get install -y --no-install-recommends python3-venv && rm -rf /var/lib/apt/lists/*
COPY --from=build /src/dist/*.whl /tmp/
RUN python3 -m venv /opt/pinfold && /opt/pinfold/bin/pip install --no-cache-dir /tmp/*.whl && rm /tmp/*.whl
ENTRYPOINT ["/opt/pinfold/bin/pinfold"]
