#include "label.h"

#include <string.h>

void label_set(struct label *label, const char *text, int copies)
{
    strncpy(label->text, text, LABEL_LENGTH - 1);
    label->text[LABEL_LENGTH - 1] = '\0';
    label->copies = copies;
}
