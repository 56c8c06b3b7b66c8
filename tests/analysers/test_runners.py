"""Check that names and lines of notebooks and build tools draw nothing.

Real files, by the commit that was looked at:
databricks/mlops-stacks 13a10ebf6a3f, feature_engineering/notebooks/GenerateAndWriteFeatures.py.tmpl:1,
deployment/batch_inference/notebooks/BatchInference.py.tmpl:24 (Databricks);
platformio/platform-espressif32 4ed1943187c4, builder/frameworks/_bare.py:21 (SCons);
celery/celery 5dc781f0bd5f, docs/conf.py:3 (`globals().update`);
django/django 03988c5a5ba2, django/dispatch/dispatcher.py:60 (BaseExceptionGroup);
SCons/scons bac715f2e7e7, src/test_setup.py:122 (WindowsError);
ipython/ipython 7f0ee55684f0, IPython/core/builtin_trap.py:84 (names among the builtins);
adagl/PythonExecise 0628235576d4, importLibToColab.py:2 (an export of Colab);
andrewcgaitskell/docker-nginx-letsencrypt d98da3327f0d, jupyterhub/archive/basic_only.py:1 (JupyterHub);
TomasTomecek/dotfiles 2f3b9fd3ca52, ipython/.ipython/profile_default/ipython_config.py:2 (IPython);
rraychaudhuri/SystemSetup 5cfd10952e18, ipython_initial_statements.py:28 (`%xmode`, a line magic);
ipython/ipython 7f0ee55684f0, tests/test_interactivshell.py:205 (`display` beside `get_ipython`).
"""

import pytest

from affidavit.analysers.ruff import RUFF
from affidavit.analysers.ty import TY

DATABRICKS = """\
# Databricks notebook source
rows = spark.sql("select 1")
display(rows)

# COMMAND ----------
dbutils.fs.ls("/")
"""
RUN_BY_OTHERS = {
    "Databricks": ("etl/load.py", DATABRICKS),
    "nbconvert": ("report.py", "# In[1]:\n\nget_ipython().run_line_magic('time', 'x')\ndisplay(1)\n"),
    "a line magic": ("plot.py", "import a\n\n%matplotlib inline\na.show()\n"),
    "a cell magic": ("plot.py", "import a\n%%bash\nls -la\n"),
    "a command": ("colab.py", "!pip install thing\nimport thing\n"),
    "a command whose lines are kept": ("colab.py", "files = !ls *.py\nprint(files)\n"),
    "IPython's settings": ("ipython_config.py", "c = get_config()\nc.App.x = 1\n"),
    "Jupyter's settings": ("jupyter_server_config.py", "from typing import Any\n\nc: Any\nc.App.x = 1\n"),
    "settings of others": ("hub.py", "c.JupyterHub.port = 1\nprint(c)\n"),
    "a newer Python": ("groups.py", "def f(error):\n    return isinstance(error, ExceptionGroup)\n"),
    "names that are run in": ("setup.py", "exec(open('release.py').read())\nprint(version)\n"),
    "names that are put in": ("conf.py", "globals().update({'a': 1})\nprint(a)\n"),
    "SCons by its import": ("extra_script.py", "Import('env')\nenv.Append(A=1)\nDefault('x')\n"),
}


@pytest.mark.parametrize("analyser", [RUFF, TY])
@pytest.mark.parametrize("held", RUN_BY_OTHERS.values(), ids=RUN_BY_OTHERS)
def test_what_the_runner_provides_draws_nothing(case, ask, analyser, held):
    path, text = held
    assert ask(analyser, case({"x": ""}, {path: text})) == []


@pytest.mark.parametrize("analyser", [RUFF, TY])
@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("load.py", 'rows = spark.sql("select 1")\n'),
        ("etl/load.py", "# Databricks notebook source\nprint(undefd)\n"),
        ("report.py", "# In[1]:\n\nprint(undefd)\n"),
        ("app.py", "async def f(g):\n    pass\n\n\nawait f(1)\n"),
        ("etl/wait.py", DATABRICKS + "await rows.load()\n"),
        ("plot.py", "import a\n\nx = (1 +\n"),
        ("conf.py", "print(undefd)\n"),
    ],
)
def test_any_other_name_or_fault_is_found(case, ask, analyser, path, text):
    assert len(ask(analyser, case({"x": ""}, {path: text}))) >= 1


INSTALLED = {
    "gettext": "import gettext\n\ngettext.install('app')\n",
    "a translation": "import gettext\n\ngettext.translation('app').install()\n",
    "builtins": "import builtins\n\nbuiltins._ = str\n",
    "builtins by text": "import builtins\n\nsetattr(builtins, '_', str)\n",
    "their dictionary": "import builtins\n\nbuiltins.__dict__['_'] = str\n",
}


@pytest.mark.parametrize("analyser", [RUFF, TY])
@pytest.mark.parametrize("start", INSTALLED.values(), ids=INSTALLED)
def test_a_name_that_another_file_puts_among_the_builtins_draws_nothing(case, ask, analyser, start):
    assert ask(analyser, case({"app/__main__.py": start}, {"app/page.py": "print(_('a'))\n"})) == []


@pytest.mark.parametrize("analyser", [RUFF, TY])
def test_a_name_that_only_a_comment_installs_is_found(case, ask, analyser):
    start = {"app/__main__.py": "# gettext.install('app')\n# builtins._ = 1\n"}
    assert len(ask(analyser, case(start, {"app/page.py": "print(_('a'))\n"}))) == 1
    other = {"app/__main__.py": "import gettext\n\ngettext.install('app')\n"}
    assert len(ask(analyser, case(other, {"app/page.py": "print(undefd)\n"}))) == 1
