#include <stdio.h>

#include "person.h"

int main(int argc, char **argv)
{
    struct person person;

    if (argc < 2 || person_init(&person, argv[1]) != 0)
        return 1;
    printf("hello %s\n", person.name);
    person_free(&person);
    return 0;
}
