copy_to() {
    rsync --archive --delete dist/ "$1:/srv/site/"
}
