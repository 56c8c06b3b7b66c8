"""Where a text has what looks like a token or a password, by the shapes that services give them."""

import re
from collections.abc import Iterator

RUN = re.compile(r"[^\s\"'`<>(){}\[\],]{12,}")
"""What may have a token in it: nothing in it ends one."""
WORD = re.compile(r"(?<![\w$])[\w$][\w.~+/!-]{11,}={0,3}")
_WRITTEN = (
    "$aact_hmlg_ $aact_prod_ A3- ABSK AGE-SECRET-KEY-1 AIK_CI_ AIK_SECRET_ AKCp API- AQ.Ab8RN6 AQVN ATAT"
    " BBDC- CCDB1_ CCIPAT_ CCIPRJ_ CLOJARS_ EAAA EAAC EAAM EXO EZAK GR1348941 HRKU- KEY Mid-client-"
    " Mid-server- NRAK- NRII- PMAK- PMAT- PRD- SG. SWMKEY-1- SWMTKN-1- YC access-development-"
    " access-production- access-sandbox- api_live_ca. api_live_us. api_org_ apify_api_ apikey_ apk_"
    " authress_ bedrock-api-key- bkaa_ bkaj_ bkar_ bkct_ bkpat_ bkps_ bkpt_ bkua_ cfat_ cfut_ cio cmVmd"
    " cnvca cog_ cs_ csa_ csk- dapi db- dckr_oat_ dckr_pat_ ddo_ ddp_ dnkey- doo_v1_ dop_v1_ dor_v1_"
    " dp.pt. dt0c01. duffel_live_ duffel_test_ dvc_server_ endr+ essu_ eu1. ext_ eyJrIjoi eyJtaXJv figd_"
    " fio-u- gcntfy- glagent- glc_ glcbt- gldt- glffct- glft- glimt- gloas- glptt- glrt- glsa_ glsoat-"
    " gsk_ hvb. hvs. incoming+ ion_ key- key_ lin_api_ live_ llx- lsv2_pt_ lsv2_sk_ m0- mdb_sa_sk_"
    " mercury_production_ mergify_application_key_ mlsn. na1. napi_ ntn_ nvapi- nyk_ ops_eyJ os_v2_app_"
    " os_v2_org_ p8e- packagist_ pat pcsk_ pdl_live_apikey_ phx_ pina_ pk_ pnu_ polar_at_ polar_oat_"
    " polar_pat_ pplx- pscale_ pul- r8_ ramp_sec_ rdme_ re_ rk_ rnd_ rootly_ rpa_ rubygems_ s-s4t2af-"
    " s-s4t2ud- s. samsara_api_ sat. sb_secret_ sbp_ sc_ scauth_ sgp_ sha256~ shippo_ shpat_ shpca_ shppa_"
    " shpss_ sk_ sl. sm_aat_ sm_pat_ sm_sat_ sntrys_ sntryu_ sq0atp- t1. test_ tfp_ tgp_v1_ tk-us- tskey-"
    " u+ ucat_ unkey_ v1.0- vca_ vci_ vck_ vcp_ vcr_ vtwn_ waka_ wandb_v1_ wrka- xai- xapp- xkeysib-"
    " xnd_production_ xox zpka_ b_ 1000. 1001. 1003."
)
PREFIXES = tuple(_WRITTEN.split())
SECRET_PART = re.compile(r"[A-Za-z0-9]{10,}|[A-Za-z0-9+/_=-]{16,}")
SHORTEST_SHAPE = 20
SHAPES = re.compile(
    r"\b(?:"
    r"hf_[A-Za-z]{34}\b|api_org_[A-Za-z]{34}\b"
    r"|[0-9a-f]{32}-us\d{1,2}\b"
    r"|\d{5,16}:A[\w-]{34}\b"
    r"|[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70}"
    r"|[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk\b"
    r"|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}:[0-9a-f]{32}\b"
    r"|[0-9a-h]{32}-[0-9a-h]{8}-[0-9a-h]{8}\b"
    r"|2[A-Za-z0-9]{26}_[0-9][A-Za-z0-9]{20}\b"
    r"|[0-9a-f]{32}\.[\w-]{24}\b"
    r"|SK[0-9a-fA-F]{32}\b"
    r"|A{22}[A-Za-z0-9%]{80,100}"
    r"|00(?:[\w=-]{40}\b|[A-Za-z0-9]{13}![\w.-]{80,260})"
    r"|\d{15,16}[|%][\w-]{27,40}|\d{15,25}-[A-Za-z0-9]{20,40}\b"
    r"|[A-Za-z0-9+/]{22}==:[A-Za-z0-9]{32}\b"
    r"|eyJ[\w-]{10,}\.[\w-]{16,}\.[\w-]{16,}"
    r")|(?<![\w~.])[\w~.]{3}\dQ~[\w~.-]{31,34}|(?<![\w+])u\+[\w+-]{18}(?![\w+-])|(?<=FlyV1 )[\w=,/+-]{100,}"
    r"|(?<=hooks\.slack\.com/)[a-z]{8,9}/[\w/+]{40,60}|(?<=/api/webhooks/)\d{17,20}/[\w-]{60,80}"
    r"|(?<=AstraCS:)[\w:]{20,}|(?<=_gitlab_session=)[0-9a-z]{32}"
    r"|(?<=\.webhook\.office\.com/webhookb2/)[\w@/-]{60,}"
    r"|(?i:(?<=[;?&]password=)|(?<=[;?&]pwd=))[^\s\"'&;<>]{3,200}"
    r"|(?:(?<=AccountKey=)|(?<=AccessKey=)|(?<=;Secret=))[A-Za-z0-9+/]{30,100}={0,2}"
)
BESIDE_A_NAME = re.compile(
    r"(?i)(?:snyk|netlify|exoscale|contribsys__com)[\w.-]{0,30}[\"']?\s{0,5}[:=]\s{0,5}[\"']?([\w:=-]{17,64})\b"
)


def token_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where each token begins and ends, in no order; spans may overlap."""
    for run in RUN.finditer(text):
        start, end = run.span()
        for found in WORD.finditer(text, start, end):
            if found[0].startswith(PREFIXES) and _has_secret_part(found[0]):
                yield found.span()
        if end - start >= SHORTEST_SHAPE:
            yield from (found.span() for found in SHAPES.finditer(text, start, end))
    yield from (found.span(1) for found in BESIDE_A_NAME.finditer(text))


def _has_secret_part(value: str) -> bool:
    """Some part of it behind the prefix is long and has digits and letters, as words have not."""
    rest = value[max(len(one) for one in PREFIXES if value.startswith(one)) :]
    return any(
        any(map(str.isdigit, part)) and any(map(str.isalpha, part)) for part in SECRET_PART.findall(rest)
    )
