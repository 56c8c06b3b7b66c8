/** Whether a text mentions a ticket, such as "see SHOP-12". */
export function mentionsTicket(text) {
  return /\b[A-Z]{2,6}-\d+\b/.test(text);
}
