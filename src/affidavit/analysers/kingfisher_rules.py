"""List the rules of kingfisher that are on, what they mean, and why the others are off."""

from collections.abc import Mapping

from affidavit.analysers.rule import Rule, RuleMaker
from affidavit.records.finding import Category, Severity

TOKENS = (
    "affidavit.aws-secret-key affidavit.discord-webhook affidavit.google-key-in-address"
    " 1password-secret-key 1password-service-account-token adobe-client-secret aikido-ci-token"
    " aikido-client-secret airtable-personnal-access-token anthropic-admin-api-key anthropic-api-key"
    " apify-api-token artifactory-api-key artifactory-reference-token asaas-api-token"
    " atlassian-api-token authress-service-client-access-key aws-access-token"
    " aws-amazon-bedrock-api-key-long-lived aws-amazon-bedrock-api-key-short-lived"
    " azure-ad-client-secret beamer-api-token bitbucket-data-center-token buildkite-service-token"
    " buildkite-user-access-token canadian-digital-service-notify-api-key canva-client-secret"
    " cartesia-api-key.1 cerebras-api-key checkout-secret-key circleci-personal-token"
    " clerk-secret-key clickup-personal-api-token clojars-api-token cloudflare-api-key.2"
    " cloudflare-origin-ca-key cloudsmith-api-key cockroachlabs-cloud-api-key crates-io-api-key"
    " cursor-api-key databento-api-key databricks-api-token datastax-astra-application-token"
    " deepseek-api-key defined-networking-api-token deno-account-token devcycle-server-sdk-key"
    " devin-personal-api-key devin-service-api-key devin-service-user-token digitalocean-access-token"
    " digitalocean-pat digitalocean-refresh-token docker-swarm-join-token docker-swarm-unlock-key"
    " dockerhub-organization-access-token dockerhub-personal-access-token doppler-api-token"
    " dropbox-long-lived-api-token dropbox-short-lived-api-token duffel-api-token dynatrace-api-token"
    " easypost-api-token ebay-client-secret elastic-cloud-api-key elevenlabs-api-key"
    " endorlabs-api-key endorlabs-api-secret exoscale-api-key facebook-access-token"
    " facebook-page-access-token fal-api-key.1 figma-personal-access-token flyio-access-token"
    " frameio-api-token fullstory-api-key gcp-api-key gcp-application-default-credentials"
    " gcp-gemini-api gcp-service-account github-app-token github-fine-grained-pat github-oauth"
    " github-pat github-refresh-token gitlab-cicd-job-token gitlab-deploy-token"
    " gitlab-feature-flag-client-token gitlab-feed-token gitlab-incoming-mail-address-token"
    " gitlab-incoming-mail-token gitlab-kubernetes-agent-token gitlab-oauth-app-secret gitlab-pat"
    " gitlab-pat-routable gitlab-pat-routable-versioned gitlab-ptt gitlab-rrt"
    " gitlab-runner-authentication-token gitlab-runner-authentication-token-routable"
    " gitlab-scim-token gitlab-session-cookie gocardless-api-token grafana-api-key"
    " grafana-cloud-api-token grafana-service-account-token groq-api-key harness-api-key"
    " hashicorp-tf-api-token heroku-api-key-v2 highnote-secret-live-key huggingface-access-token"
    " huggingface-organization-api-token intra42-client-secret ionic-personal-access-token"
    " klaviyo-api-key langchain-langsmith-personal-access-token langchain-langsmith-service-key"
    " langfuse-secret-key.1 linear-api-key llama-cloud-api-key.1 lob-api-key mailchimp-api-key"
    " mailersend-api-token mailgun-private-api-token mailgun-signing-key maxmind-license-key"
    " mem0-api-key.1 mercury-production-api-token mergify-application-key microsoft-teams-webhook"
    " midtrans-production-server-client-key minimax-api-key miro-access-token monday-api-token.1"
    " mongodb-atlas-service-account-secret neon-api-key netlify-access-token new-relic-insert-key"
    " new-relic-user-api-key ngrok-api-key.1 notion-api-token npm-access-token nvidia-api-key"
    " nylas-api-key.1 octopus-deploy-api-key okta-access-token ollama-api-key"
    " onesignal-rich-authentication-token onfido-live-api-token-ca onfido-live-api-token-us"
    " openai-api-key openrouter-api-key openshift-user-token paddle-live-api-key"
    " pagerduty-authorization-token.1 perplexity-api-key pinecone-api-key.2 pinterest-access-token"
    " plaid-api-token planetscale-api-token planetscale-oauth-token planetscale-password"
    " polar-oauth-access-token polar-organization-access-token polar-personal-access-token"
    " posthog-personal-api-key postman-api-token prefect-api-token pulumi-api-token pypi-upload-token"
    " rainforest-pay-production-api-key ramp-client-secret readme-api-token"
    " redirect-pizza-api-token.1 render-api-key replicate-api-token resend-api-key.1 retell-api-key.1"
    " rootly-api-key.1 rubygems-api-token runpod-api-key.1 salesforce-access-token.1"
    " samsara-api-token.1 scalingo-api-token scalr-api-access-token.1 segment-public-api-token.1"
    " sendgrid-api-token sendinblue-api-token sentry-org-token sentry-user-token"
    " settlemint-application-access-token settlemint-personal-access-token"
    " settlemint-service-access-token shippo-api-token shopify-access-token"
    " shopify-custom-access-token shopify-private-app-access-token shopify-shared-secret"
    " sidekiq-secret slack-app-token slack-bot-token slack-config-access-token"
    " slack-config-refresh-token slack-legacy-bot-token slack-legacy-token"
    " slack-legacy-workspace-token slack-session-cookie slack-session-token slack-user-token"
    " slack-webhook-url snyk-api-token sourcegraph-access-token square-access-token"
    " stability-ai-api-key stripe-access-token supabase-management-token supabase-project-api-key"
    " tableau-personal-access-token.1 tailscale-api-key.1 telegram-bot-api-token telnyx-api-v2-key.1"
    " temporal-cloud-api-key.1 togetherai-api-key twilio-api-key twitter-access-token"
    " twitter-bearer-token typeform-api-token unkey-root-key.1 upcloud-api-token val-town-api-token.1"
    " vault-batch-token vault-service-token veles.secrets/circleciproject veles.secrets/denopatorg"
    " veles.secrets/digitaloceanapikey veles.secrets/grokxaiapikey veles.secrets/herokuplatformkey"
    " veles.secrets/npmjsaccesstoken veles.secrets/openrouter veles.secrets/packagistorgreadtoken"
    " veles.secrets/packagistorgupdatetoken veles.secrets/packagistsecret veles.secrets/postmanapikey"
    " veles.secrets/postmancollectiontoken veles.secrets/sendgrid"
    " veles.secrets/slackappconfigaccesstoken veles.secrets/slackappconfigrefreshtoken"
    " veles.secrets/slackappleveltoken vercel-ai-gateway-key vercel-app-access-token"
    " vercel-app-refresh-token vercel-integration-token vercel-personal-access-token"
    " wakatime-api-key.2 weights-and-biases-api-key-v1 woocommerce-consumer-secret.1"
    " workato-developer-api-token.1 workos-production-api-key.1 xai-api-key"
    " xendit-production-api-key.1 yandex-access-token yandex-api-key yandex-aws-access-token"
    " zoho-oauth-token.1 zoho-zapi-key.1 zuplo-consumer-api-key.1"
)
"""Values with a shape of their own, such as a prefix that nothing else has."""
CONNECTIONS = (
    "affidavit.connection-password affidavit.credential-uri affidavit.jdbc-password"
    " azure-app-configuration-connection-string"
    " azure-servicebus-connection-string azure-storage-account-key generic-credential-uri"
    " mongodb-connection-string sidekiq-sensitive-url veles.secrets/bitbucketcredentials"
    " veles.secrets/codecatalystcredentials veles.secrets/codecommitcredentials"
)
"""Passwords in addresses and settings of services."""
KEYS = "age-secret-key private-key affidavit.commented-private-key"

_HELPERS = (
    "aikido-client-id algolia-application-id alibaba-access-key-id alibaba-sts-access-key-id"
    " alibaba-sts-security-token artifactory-jfrog-url auth0-client-id.1 auth0-domain.1"
    " aws-secret-access-key azure-client-id azure-storage-account-name azure-tenant-id"
    " browserstack-username.1 canva-client-id clickhouse-cloud-key-id cloudflare-account-id.1"
    " cloudinary-api-key cloudinary-cloud-name ebay-client-id exoscale-api-secret langfuse-public-key.1"
    " lark-app-id miro-client-id mongodb-atlas-service-account-id mux-access-token-id.1"
    " ovh-application-key ovh-consumer-key paypal-client-id.1 planetscale-id plivo-auth-id"
    " polymarket-address polymarket-api-secret polymarket-passphrase ramp-client-id razorpay-key-id.1"
    " salesforce-instance-url.1 snowflake-account-host.1 supabase-project-url"
    " tableau-personal-access-token-name.1 tableau-server-host.1 upstash-redis-rest-url.1"
    " veles.secrets/hcpclientcredentials-client-id veles.secrets/packagistorgreadtoken-repository"
    " veles.secrets/packagistorgupdatetoken-repository veles.secrets/packagistsecret-api-key"
    " wiz-client-id.1 zoho-client-id.1"
)
_PUBLIC = (
    "adobe-client-id asana-client-id bitbucket-client-id configcat-sdk-key configcat-sdk-key-extended"
    " devcycle-client-sdk-key devcycle-mobile-sdk-key discord-client-id flutterwave-public-key"
    " linkedin-client-id lob-pub-api-key looker-client-id mailgun-pub-key mapbox-api-token"
    " messagebird-client-id new-relic-browser-api-token new-relic-user-api-id plaid-client-id"
    " posthog-project-api-key sendbird-access-id sumologic-access-id"
)
_TRIAL = "easypost-test-api-token flutterwave-encryption-key flutterwave-secret-key"
_WORDS = (
    "brave-search-api-key clickhouse-cloud-api-secret-key infracost-api-token kimi-api-key"
    " lichess-personal-access-token onfido-live-api-token-eu persona-production-api-key"
    " proof-full-access-api-key thunderstore-api-token.1 voyageai-api-key zai-api-key"
)
_GUESSES = (
    "abuseipdb-api-key.1 adafruit-api-key airtable-api-key airtable-oauth-token aiven-auth-token"
    " algolia-api-key alibaba-secret-key alibaba-sts-access-key-secret amplitude-secret-key"
    " apollo-api-key.1 asana-client-secret assemblyai-api-key auth0-client-secret.1"
    " bitbucket-client-secret bitly-access-token bitrise-access-token bittrex-access-key"
    " bittrex-secret-key box-api-access-token browserstack-access-key.1 circleci-project-token"
    " cisco-meraki-api-key civo-api-key cloudflare-api-key.1 cloudflare-global-api-key"
    " cloudinary-api-secret codecov-access-token cohere-api-token coinbase-access-token"
    " confluent-access-token confluent-secret-key contentful-delivery-api-token couchbase-capella-api-key"
    " coveralls-personal-api-token datadog-api-key datadog-application-key datagov-api-key"
    " deepgram-api-key discord-api-token discord-client-secret disqus-api-key droneci-access-token"
    " dropbox-api-token etsy-open-api-key facebook-secret fastly-api-token"
    " figma-personal-access-header-token finicity-api-token finicity-client-secret finnhub-access-token"
    " flickr-access-token freshbooks-access-token gitea-access-token gitter-access-token greptile-api-key"
    " gumroad-access-token heroku-api-key honeycomb-api-key hubspot-api-key hunter-api-key.1"
    " ibm-cloud-user-api-key influxdb-api-token infomaniak-api-token instantly-api-key.1 intercom-api-key"
    " jumpcloud-api-key kagi-api-key kraken-access-token kucoin-access-token kucoin-secret-key"
    " lark-app-secret launchdarkly-access-token lighton-paradigm-api-key linear-client-secret"
    " linkedin-client-secret looker-client-secret mattermost-access-token messagebird-api-token"
    " miro-client-secret mistral-api-key mux-access-token-secret.1 nytimes-access-token"
    " openweather-api-key opsgenie-api-key.1 ovh-application-secret paypal-client-secret.1"
    " pinecone-api-key.1 plaid-secret-key plivo-auth-token polymarket-api-key polymarket-private-key"
    " postmark-api-token.1 privateai-api-token rapidapi-access-token razorpay-key-secret.1"
    " scaleway-secret-key sendbird-access-token sentry-access-token snowflake-programmatic-access-token.1"
    " sonar-api-token squarespace-access-token sslmate-api-key.1 sumologic-access-token"
    " travisci-access-token twitch-api-token twitter-access-secret twitter-api-key twitter-api-secret"
    " upstage-api-key upstash-redis-rest-token.1 veles.secrets/bitwardenoauth2access"
    " veles.secrets/cloudflareapitoken veles.secrets/hcpclientcredentials vercel-api-token"
    " virustotal-api-key.1 vultr-api-key.1 wakatime-api-key.1 weatherstack-api-key.1"
    " weights-and-biases-api-key wiz-client-secret.1 zendesk-secret-key zoho-client-secret.1"
)
_SELDOM = (
    "aws-session-token curl-auth-header curl-auth-user hashicorp-tf-password jwt jwt-base64"
    " kubernetes-secret-yaml"
)
_BY_FILE_NAME = "freemius-secret-key nuget-config-password"
OFF: Mapping[str, tuple[str, ...]] = {
    "it finds what another rule needs beside a secret: an account, an address": tuple(_HELPERS.split()),
    "what it finds is meant to be seen: an identifier, or a key for browsers and apps": tuple(
        _PUBLIC.split()
    ),
    "it looks at the names of files, which it does not get here": tuple(_BY_FILE_NAME.split()),
    "what it finds opens nothing but a test account": tuple(_TRIAL.split()),
    "ordinary names and hashes look the same": tuple(_WORDS.split()),
    "it guesses from a word nearby: the value could be any hash or identifier": tuple(_GUESSES.split()),
    "what it finds is seldom a secret that still opens anything, and it is slow": tuple(_SELDOM.split()),
}
"""Why a rule is off, and which ones are."""


BETTERLEAKS, VELES, OWN = "betterleaks.", "veles.secrets/", "affidavit."


def identifier_of(name: str) -> str:
    """Return the name by which kingfisher knows a rule of these lists."""
    return name if name.startswith((VELES, OWN)) else BETTERLEAKS + name


def name_of(identifier: str) -> str:
    """Return the name of a rule of kingfisher's, without the collection that it comes from."""
    return identifier.removeprefix(BETTERLEAKS).removeprefix(VELES).removeprefix(OWN)


def _codes(names: str) -> str:
    return " ".join(name_of(name) for name in names.split())


VENDORS = {
    "1password": "1Password", "aws": "AWS", "circleci": "CircleCI", "clickup": "ClickUp",
    "cockroachlabs": "CockroachDB", "crates": "crates.io", "canadian": "GC Notify", "datastax": "DataStax",
    "deepseek": "DeepSeek", "defined": "Defined Networking", "deno": "Deno", "digitalocean": "DigitalOcean",
    "dockerhub": "Docker Hub", "easypost": "EasyPost", "ebay": "eBay", "elastic": "Elastic Cloud",
    "elevenlabs": "ElevenLabs", "endorlabs": "Endor Labs", "flyio": "Fly.io", "gcp": "Google Cloud",
    "github": "GitHub", "gitlab": "GitLab", "gocardless": "GoCardless", "grok": "xAI",
    "hashicorp": "HashiCorp", "heroku": "Heroku", "huggingface": "Hugging Face", "intra42": "42",
    "langchain": "LangSmith",
    "llama": "LlamaCloud", "mailersend": "MailerSend", "maxmind": "MaxMind", "microsoft": "Microsoft Teams",
    "minimax": "MiniMax", "mongodb": "MongoDB", "new": "New Relic", "npm": "npm", "nvidia": "NVIDIA",
    "octopus": "Octopus Deploy", "onesignal": "OneSignal", "openai": "OpenAI", "openrouter": "OpenRouter",
    "openshift": "OpenShift", "packagist": "Packagist", "pagerduty": "PagerDuty",
    "planetscale": "PlanetScale", "posthog": "PostHog", "postman": "Postman", "pypi": "PyPI",
    "rainforest": "Rainforest Pay",
    "redirect": "redirect.pizza", "rubygems": "RubyGems", "runpod": "RunPod", "sendgrid": "SendGrid",
    "settlemint": "SettleMint", "slack": "Slack", "stability": "Stability AI", "togetherai": "Together AI",
    "upcloud": "UpCloud", "val": "Val Town", "wakatime": "WakaTime", "weights": "Weights & Biases",
    "woocommerce": "WooCommerce", "workos": "WorkOS", "xai": "xAI",
}  # fmt: skip
"""How a vendor writes its name, by how the names of its rules begin."""
KINDS = ("webhook", "password", "cookie", "token", "secret", "key", "credentials")


def title_of(name: str) -> str:
    """Return the title of a token's rule: `Hard-coded GitHub token`."""
    start = next((start for start in VENDORS if name.startswith(start)), name.partition("-")[0])
    kind = next((kind for kind in KINDS if kind in name.removeprefix(start)), "token")
    return f"Hard-coded {VENDORS.get(start, start.capitalize())} {kind}"


_leaked = RuleMaker("kingfisher", category=Category.SECURITY, failing_input="Anybody who can read {file}.")
KINGFISHER_RULES: tuple[Rule, ...] = (
    *_leaked.each(
        {name: title_of(name) for name in _codes(TOKENS).split()},
        "They can use it, now or later.",
        "Take it from the environment. Revoke it if it was ever committed: the history keeps it.",
        severity=Severity.CRITICAL,
        in_tests=False,
    ),
    *_leaked(
        _codes(CONNECTIONS),
        "Hard-coded password in a connection address",
        "They can log in with it, now or later.",
        "Take it from the environment. Change it if it was ever committed: the history keeps it.",
        severity=Severity.CRITICAL,
        in_tests=False,
    ),
    *_leaked(
        _codes(KEYS),
        "Private key in the repository",
        "They can act as its owner, now or later.",
        "Keep it outside the repository. Replace it if it was ever committed: the history keeps it.",
        severity=Severity.HIGH,
        in_tests=False,
    ),
)
ON = tuple(identifier_of(name) for group in (TOKENS, CONNECTIONS, KEYS) for name in group.split())
