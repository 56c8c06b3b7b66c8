"""Pages for the people of a company."""

from reports.monthly import Sales, monthly_report


def report_page(session: dict[str, str], month: str, sales: Sales) -> str:
    return f"<pre>{monthly_report(session['company'], month, sales)}</pre>"
