import { mentionsTicket } from "./mentions.js";

/** The messages that belong to a ticket, in their order. */
export function aboutTickets(messages) {
  return messages.filter((message) => mentionsTicket(message.text));
}
