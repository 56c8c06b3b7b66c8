#include <stdio.h>

#include "label.h"

int main(int argc, char **argv)
{
    struct label label;

    if (argc < 2)
        return 1;
    label_set(&label, argv[1], 1);
    printf("%d x %s\n", label.copies, label.text);
    return 0;
}
