"""Addresses and the views behind them."""

from donations import views

ROUTES = {
    "GET /donations": views.list_donations,
    "GET /donations/<number>": views.show_donation,
    "POST /donations/<number>": views.correct_donation,
}
