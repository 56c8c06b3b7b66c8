CREATE TABLE reports (
	id TEXT NOT NULL,
	created_at TEXT NOT NULL,
	repository TEXT,
	base TEXT NOT NULL,
	head TEXT NOT NULL,
	decision TEXT NOT NULL,
	body BLOB NOT NULL,
	digest TEXT NOT NULL,
	PRIMARY KEY (id)
);
CREATE TABLE reviews (
	id TEXT NOT NULL,
	tenant TEXT NOT NULL,
	status TEXT NOT NULL,
	created_at TEXT NOT NULL,
	source TEXT NOT NULL,
	submitted_by TEXT NOT NULL,
	change_key TEXT NOT NULL,
	request TEXT NOT NULL,
	started_at TEXT,
	finished_at TEXT,
	repository TEXT,
	base TEXT,
	head TEXT,
	url TEXT,
	stage TEXT,
	reason TEXT,
	verdict TEXT,
	outcome TEXT,
	owner TEXT,
	title TEXT DEFAULT '' NOT NULL,
	cost_usd FLOAT,
	tokens INTEGER DEFAULT '0' NOT NULL,
	attempt INTEGER DEFAULT '0' NOT NULL,
	events INTEGER DEFAULT '0' NOT NULL,
	is_current INTEGER DEFAULT '1' NOT NULL,
	series TEXT,
	iteration INTEGER,
	follows TEXT,
	drawn TEXT,
	PRIMARY KEY (id)
);
CREATE UNIQUE INDEX one_review_of_a_change ON reviews (tenant, change_key) WHERE is_current = 1;
CREATE INDEX reviews_by_status ON reviews (status, created_at);
CREATE INDEX reviews_newest_first ON reviews (tenant, created_at, id);
CREATE TABLE rollouts (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	state TEXT NOT NULL CHECK (state IN ('running', 'promoted', 'rolled_back')),
	body TEXT NOT NULL
);
CREATE UNIQUE INDEX one_rollout_at_a_time ON rollouts (state) WHERE state = 'running';
CREATE TABLE findings (
	report_id TEXT NOT NULL,
	candidate_id TEXT NOT NULL,
	fingerprint TEXT NOT NULL,
	specialist TEXT NOT NULL,
	severity TEXT NOT NULL,
	category TEXT NOT NULL,
	status TEXT NOT NULL,
	withheld TEXT,
	title TEXT NOT NULL,
	file TEXT NOT NULL,
	line INTEGER NOT NULL,
	PRIMARY KEY (report_id, candidate_id),
	FOREIGN KEY(report_id) REFERENCES reports (id) ON DELETE CASCADE
);
CREATE INDEX findings_by_fingerprint ON findings (fingerprint);
CREATE TABLE iterations (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	repository TEXT NOT NULL,
	series TEXT NOT NULL,
	iteration INTEGER NOT NULL,
	report_id TEXT NOT NULL,
	tree TEXT NOT NULL,
	body TEXT NOT NULL,
	FOREIGN KEY(report_id) REFERENCES reports (id) ON DELETE CASCADE
);
CREATE INDEX iterations_by_series ON iterations (repository, series, number);
CREATE TABLE labels (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	report_id TEXT NOT NULL,
	candidate_id TEXT NOT NULL,
	label TEXT CHECK (label IN ('valid', 'wrong', 'nit')),
	why TEXT NOT NULL,
	labelled_by TEXT NOT NULL,
	source TEXT NOT NULL,
	labelled_at TEXT NOT NULL,
	report_digest TEXT DEFAULT '' NOT NULL,
	FOREIGN KEY(report_id) REFERENCES reports (id) ON DELETE CASCADE
);
CREATE INDEX labels_by_finding ON labels (report_id, candidate_id, number);
CREATE TABLE rollout_reviews (
	rollout INTEGER NOT NULL,
	change_key TEXT NOT NULL,
	body TEXT NOT NULL,
	PRIMARY KEY (rollout, change_key),
	FOREIGN KEY(rollout) REFERENCES rollouts (number) ON DELETE CASCADE
);
CREATE TABLE store_version (
	version_num VARCHAR(32) NOT NULL,
	PRIMARY KEY (version_num)
)
