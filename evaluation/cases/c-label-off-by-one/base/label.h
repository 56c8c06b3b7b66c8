#ifndef LABEL_H
#define LABEL_H

#define LABEL_LENGTH 32

struct label {
    char text[LABEL_LENGTH];
    int copies;
};

void label_set(struct label *label, const char *text, int copies);

#endif
