"""What a program finds inside: languages, folders of the user, environments, the files of a side."""
