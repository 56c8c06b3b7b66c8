from affidavit.config.settings import Settings as Settings
from affidavit.errors import AffidavitError as AffidavitError
from affidavit.rechecking.check import Rechecked as Rechecked
from affidavit.records.finding import Finding as Finding
from affidavit.records.report import Report as Report
from affidavit.reviewing.door import recheck as recheck
from affidavit.reviewing.door import recheck_async as recheck_async
from affidavit.reviewing.door import review as review
from affidavit.reviewing.door import review_async as review_async
from affidavit.reviewing.options import ReviewOptions as ReviewOptions

__version__: str
HOME_PAGE: str
