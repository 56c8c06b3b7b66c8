# The command line with git and the analysers that come along; it runs as nobody in particular.
FROM python:3.13-slim AS build
WORKDIR /source
COPY . .
RUN python -m pip wheel --no-cache-dir --wheel-dir /wheels .

FROM python:3.13-slim
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates git openssh-client \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 10001 affidavit \
    && install --directory --owner 10001 --group 10001 --mode 0700 /data
# One version is there: the one that was just built.
# hadolint ignore=DL3013
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    python -m pip install --no-cache-dir --no-index --find-links /wheels affidavit
USER 10001
WORKDIR /work
ENV AFFIDAVIT_DATA=/home/affidavit/state AFFIDAVIT_CACHE=/home/affidavit/cache
ENTRYPOINT ["affidavit"]
CMD ["--help"]
