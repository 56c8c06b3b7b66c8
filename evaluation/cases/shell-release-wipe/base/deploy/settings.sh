# Settings of the deployment; sourced by the other scripts.
KEEP_RELEASES=3
ARCHIVE_NAME="application.tar.gz"
