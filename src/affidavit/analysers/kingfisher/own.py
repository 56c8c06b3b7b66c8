"""Rules of our own beside kingfisher's: the canary, and secrets that it leaves out."""

CANARY_ID = "affidavit.canary"
CANARY_LINE = b"affidavit_canary_5d3a91c7"
OWN_FILE = "own-rules.yml"
# Examples are put together here, so that no scanner of this repository stumbles over them.
_KEY = "q7Zp2Lx9" * 5
# As ADO.NET, ODBC and others have it: a server, a user or a database, a password. Quotes are doubled in YAML.
_PART = "[^;\"''<>\\r\\n]*;"
_CONNECTION = (
    rf"(?i)\b(?:server|data source|host|addr|address)\s?=\s?{_PART}(?:{_PART}){{0,10}}?"
    r"\s?(?:user id|userid|user name|username|user|uid|database|initial catalog)"
    rf"\s?=\s?{_PART}(?:{_PART}){{0,10}}?"
    "\\s?(?:password|pwd)\\s?=\\s?([^\\s;\"''<>]{3,200})"
)
OWN_RULES = f"""\
rules:
  - name: Read to its end
    id: {CANARY_ID}
    pattern: '\\b(affidavit_canary_[0-9a-f]{{8}})\\b'
    min_entropy: 0.0
    confidence: high
    examples: ["{CANARY_LINE.decode()}"]
  - name: A password in the address of a service, with the driver in its scheme
    id: affidavit.credential-uri
    pattern: '(?i)\\b[a-z][a-z0-9]{{1,20}}\\+[a-z0-9_]{{2,20}}://[^\\s:/@"<>]{{0,100}}:([^\\s/@"<>]{{3,200}})@[\\w.\\[-]'
    min_entropy: 2.0
    confidence: medium
    examples: ["postgresql+psycopg2://a:{_KEY[:12]}@db.b.io/c"]
  - name: A password in the address of a database
    id: affidavit.jdbc-password
    pattern: '(?i)\\bjdbc:[a-z0-9:]{{2,40}}//[^\\s"<>]{{1,300}}?[?&;](?:password|pwd)=([^\\s"&;<>]{{3,200}})'
    min_entropy: 2.0
    confidence: medium
    examples: ["jdbc:postgresql://db.b.io/c?user=a&password={_KEY[:12]}"]
  - name: A password in the settings of a database connection
    id: affidavit.connection-password
    pattern: '{_CONNECTION}'
    min_entropy: 2.0
    confidence: medium
    examples: ["Server=db.b.io;Database=c;User Id=a;Password={_KEY[:12]};"]
  - name: An API key of Google in an address
    id: affidavit.google-key-in-address
    pattern: '[?&]key=(AIza[\\w-]{{35}})\\b'
    min_entropy: 3.0
    confidence: high
    examples: ["https://a.b/c?key=AIza{_KEY[:35]}&d=e"]
  - name: A secret access key of AWS
    id: affidavit.aws-secret-key
    pattern: '(?i)\\baws_?secret_?(?:access_?)?key["'']?\\s?[:=]\\s?["'']?([a-z0-9/+]{{40}})(?:[^\\w/+=]|$)'
    min_entropy: 4.0
    confidence: high
    examples: ["aws_secret_access_key = {_KEY[:20]}Ab3+{_KEY[:16]}"]
  - name: A webhook of Discord
    id: affidavit.discord-webhook
    pattern: '(https://(?:\\w{{1,10}}\\.)?discord(?:app)?\\.com/api/webhooks/\\d{{17,20}}/[\\w-]{{60,80}})'
    min_entropy: 3.0
    confidence: high
    examples: ["https://discord.com/api/webhooks/{"8" * 18}/{_KEY}{_KEY[:28]}"]
""".encode()
