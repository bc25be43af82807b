CREATE TABLE partition (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  environment TEXT NOT NULL,
  user BLOB NOT NULL,
  consent TEXT NOT NULL,
  created INTEGER NOT NULL,
  UNIQUE (environment, user)
) STRICT;
INSERT INTO "partition" VALUES(1,'production',X'752d31','full',1790845200000);
INSERT INTO "partition" VALUES(2,'production',X'','unknown',1790845200000);
CREATE TABLE setting (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;
INSERT INTO setting VALUES('user production','u-1');
INSERT INTO setting VALUES('export cursor nightly production','{"id":"a4d46012bd38674e","sequence":3,"selection":"every event"}');
INSERT INTO setting VALUES('export salt','3b11883358ee486c-5fab2e148ddb3387-1fcef7ea09599-8e40d6e5ddd2b35b');
CREATE TABLE outbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  key BLOB NOT NULL,
  partition INTEGER NOT NULL REFERENCES partition,
  provider TEXT NOT NULL,
  kind TEXT NOT NULL,
  body TEXT NOT NULL,
  action TEXT,
  event BLOB,
  surface TEXT,
  analytics INTEGER NOT NULL,
  size INTEGER NOT NULL,
  accepted INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  waited INTEGER NOT NULL,
  batch INTEGER,
  batch_key BLOB,
  seal INTEGER NOT NULL,
  UNIQUE (key, provider)
) STRICT;
INSERT INTO outbox VALUES(2,X'37e9671c45376d5dccf635ee9e9e2fa4',1,'paper','event','{"id":"f485a919-8b7d-8ddb-9a53-674399878f16","kind":"click","time":"2026-10-01T09:00:00.000Z","zoneOffset":7200,"session":"s-1","sequence":2,"provider":"paper","item":{"provider":"paper","id":"b","surface":"cards","container":"home","handle":{"of":"b"}},"name":"looked","properties":{"x":1}}',NULL,X'f485a9198b7d8ddb9a53674399878f16','cards',1,291,1790845200000,1,1500,2,NULL,-7355564948455521027);
INSERT INTO outbox VALUES(3,X'3474724a775b19bf7e348a0e451650be',1,'paper','operation','{"version":1,"operation":"act","action":{"name":"dismiss"},"item":{"provider":"paper","id":"c","surface":"cards","container":"home","handle":{"of":"c"}}}','{"name":"dismiss"}',NULL,'cards',0,171,1790845200000,1,1500,2,NULL,-232231067591853787);
INSERT INTO outbox VALUES(4,X'836ded897f3e46e6851f977347ed6db7',1,'paper','operation','{"version":1,"operation":"inbox"}',NULL,NULL,NULL,0,33,1790845200000,0,0,NULL,NULL,5883480269176018999);
INSERT INTO outbox VALUES(5,X'936ded897f3e46e6851f977347ed6db7',1,'bell','event','{"id":"0485a919-8b7d-8ddb-9a53-674399878f16","kind":"launch","time":"2026-10-01T09:00:00.000Z","zoneOffset":7200,"session":"s-1","sequence":5,"provider":"bell"}',NULL,X'0485a9198b7d8ddb9a53674399878f16',NULL,0,160,1790845200000,0,0,NULL,NULL,-5976938804025590871);
CREATE TABLE rejected (
  id INTEGER PRIMARY KEY,
  key BLOB NOT NULL,
  partition INTEGER NOT NULL REFERENCES partition,
  provider TEXT NOT NULL,
  kind TEXT NOT NULL,
  body TEXT NOT NULL,
  accepted INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  code TEXT NOT NULL,
  reason TEXT NOT NULL,
  rejected INTEGER NOT NULL
) STRICT;
INSERT INTO rejected VALUES(1,X'47526757130f9f52581ce1ff0e4ae394',1,'paper','operation','{"version":1,"operation":"act","action":{"name":"dismiss"},"item":{"provider":"paper","id":"a","surface":"cards","container":"home","handle":{"of":"a"}}}',1790845200000,0,'notFound','gone',1790845200000);
CREATE TABLE tally (
  provider TEXT NOT NULL,
  name TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (provider, name)
) STRICT, WITHOUT ROWID;
INSERT INTO tally VALUES('','evicted by size',3);
INSERT INTO tally VALUES('bell','accepted',1);
INSERT INTO tally VALUES('paper','accepted',4);
INSERT INTO tally VALUES('paper','rejected',1);
CREATE TABLE ledger (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  id BLOB NOT NULL UNIQUE,
  partition INTEGER NOT NULL,
  type TEXT NOT NULL,
  time INTEGER NOT NULL,
  zone INTEGER NOT NULL,
  session TEXT,
  provider TEXT,
  surface TEXT,
  owner TEXT,
  item BLOB,
  container TEXT,
  name TEXT,
  properties TEXT
, recorded INTEGER, uptime INTEGER) STRICT;
INSERT INTO ledger VALUES(4,X'01a0f6b1268076dcb41452c54d7c33f2',1,'outbox.dropped',1790845200000,0,NULL,'paper',NULL,NULL,NULL,NULL,NULL,'{"reason":"rejected","code":"notFound","operation":"cards.dismiss","count":1}',NULL,NULL);
INSERT INTO ledger VALUES(5,X'6c629d2005cd88a981f95ed3c5b71ff1',1,'custom',1790845200000,7200,'s-1','paper',NULL,NULL,NULL,NULL,'looked',NULL,1790845260000,90000);
INSERT INTO ledger VALUES(6,X'01a0f6b210e07207945a11cac985644b',1,'feed.updated',1790845260000,0,NULL,'paper',NULL,NULL,NULL,NULL,NULL,'{"count":5}',1790845260000,90000);
INSERT INTO ledger VALUES(7,X'01a0f6b210e07208973d0136e421c8da',1,'delivered',1790845260000,7200,NULL,'paper','cards',NULL,X'64',NULL,NULL,NULL,1790845260000,90000);
INSERT INTO ledger VALUES(8,X'01a0f6b210e07209b5747af0636c44ef',1,'delivered',1790845260000,7200,NULL,'paper','cards',NULL,X'65',NULL,NULL,NULL,1790845260000,90000);
CREATE TABLE value (
  partition INTEGER NOT NULL,
  environment TEXT NOT NULL,
  provider TEXT NOT NULL,
  kind TEXT NOT NULL,
  name BLOB NOT NULL,
  value TEXT NOT NULL,
  seal INTEGER NOT NULL,
  PRIMARY KEY (partition, environment, provider, kind, name)
) STRICT, WITHOUT ROWID;
INSERT INTO value VALUES(0,'production','paper','value',X'646576696365','d-1',-5385218986995347346);
INSERT INTO value VALUES(1,'production','paper','person',X'','{"provider":"paper","vendor":"paper","key":"p-1","email":"u-1@example.com"}',-1800227281187219847);
INSERT INTO value VALUES(1,'production','paper','value',X'6d61726b','7',54015298426458203);
CREATE TABLE source (
  id INTEGER PRIMARY KEY,
  partition INTEGER NOT NULL REFERENCES partition(id) ON DELETE CASCADE,
  provider TEXT NOT NULL,
  surface TEXT NOT NULL,
  UNIQUE (partition, provider, surface)
) STRICT;
INSERT INTO source VALUES(1,1,'paper','cards');
CREATE TABLE feed (
  id INTEGER PRIMARY KEY,
  source INTEGER NOT NULL REFERENCES source(id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  total INTEGER,
  refreshed INTEGER,
  UNIQUE (source, name)
) STRICT;
INSERT INTO feed VALUES(1,1,'{}',NULL,1790845260000);
CREATE TABLE item (
  id INTEGER PRIMARY KEY,
  source INTEGER NOT NULL,
  name BLOB NOT NULL,
  seal INTEGER NOT NULL,
  body BLOB NOT NULL,
  UNIQUE (source, name)
) STRICT;
INSERT INTO item VALUES(4294967297,1,X'61',2510984934749554512,X'7b226964223a2261227d');
INSERT INTO item VALUES(4294967298,1,X'62',-2463398761402091697,X'7b226964223a2262227d');
INSERT INTO item VALUES(4294967299,1,X'63',-3762588386090588898,X'7b226964223a2263227d');
INSERT INTO item VALUES(4294967300,1,X'64',6998499914510129050,X'7b226964223a2264227d');
INSERT INTO item VALUES(4294967301,1,X'65',-2167034466121817310,X'7b226964223a2265222c2278223a224f66666572227d');
CREATE TABLE membership (
  feed INTEGER NOT NULL,
  rank1 REAL NOT NULL,
  rank2 REAL NOT NULL,
  rank3 REAL NOT NULL,
  place INTEGER NOT NULL,
  expires INTEGER NOT NULL,
  item INTEGER NOT NULL,
  PRIMARY KEY (feed, rank1, rank2, rank3, place)
) STRICT, WITHOUT ROWID;
INSERT INTO membership VALUES(1,0.0,0.0,0.0,0,9223372036854775807,4294967297);
INSERT INTO membership VALUES(1,0.0,0.0,0.0,1048576,9223372036854775807,4294967298);
INSERT INTO membership VALUES(1,0.0,0.0,0.0,2097152,9223372036854775807,4294967299);
INSERT INTO membership VALUES(1,0.0,0.0,0.0,3145728,9223372036854775807,4294967300);
INSERT INTO membership VALUES(1,0.0,0.0,0.0,4194304,9223372036854775807,4294967301);
CREATE TABLE overlay (
  source INTEGER NOT NULL REFERENCES source(id) ON DELETE CASCADE,
  name BLOB NOT NULL,
  marks INTEGER NOT NULL,
  snoozed INTEGER,
  ends INTEGER,
  PRIMARY KEY (source, name)
) STRICT, WITHOUT ROWID;
INSERT INTO overlay VALUES(1,X'63',8,NULL,NULL);
CREATE TABLE quarantine (
  id INTEGER PRIMARY KEY,
  feed INTEGER NOT NULL REFERENCES feed(id) ON DELETE CASCADE,
  hash INTEGER NOT NULL,
  place INTEGER NOT NULL,
  reason TEXT NOT NULL,
  at INTEGER NOT NULL,
  UNIQUE (feed, hash)
) STRICT;
CREATE TABLE campaign_count (
  partition INTEGER NOT NULL REFERENCES partition,
  provider TEXT NOT NULL,
  campaign BLOB NOT NULL,
  fired INTEGER NOT NULL,
  PRIMARY KEY (partition, provider, campaign)
) STRICT, WITHOUT ROWID;
INSERT INTO campaign_count VALUES(1,'bell',X'37',2);
CREATE TABLE campaign_presentation (
  id INTEGER PRIMARY KEY,
  partition INTEGER NOT NULL REFERENCES partition,
  provider TEXT NOT NULL,
  campaign BLOB,
  presented INTEGER NOT NULL,
  session TEXT
) STRICT;
INSERT INTO campaign_presentation VALUES(1,1,'bell',X'37',1790845200000,'s-1');
INSERT INTO campaign_presentation VALUES(2,1,'bell',NULL,1790845200000,NULL);
CREATE TABLE campaign_queue (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  partition INTEGER NOT NULL REFERENCES partition,
  provider TEXT NOT NULL,
  campaign BLOB NOT NULL,
  body TEXT NOT NULL,
  first INTEGER NOT NULL,
  present_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  hand_overs INTEGER NOT NULL,
  presented INTEGER NOT NULL,
  seal INTEGER NOT NULL
) STRICT;
INSERT INTO campaign_queue VALUES(1,1,'bell',X'37','{"provider":"bell","vendor":"bell","id":"7","template":"Banner","arguments":{"title":"Hello"},"triggers":[{"event":"bought"}],"handle":{"pivot":"7"}}',0,1790845200000,1791018000000,1,1,2642138178819505337);
INSERT INTO campaign_queue VALUES(2,1,'bell',X'37','{"provider":"bell","vendor":"bell","id":"7","template":"Banner","arguments":{"title":"Hello"},"triggers":[{"event":"bought"}],"handle":{"pivot":"7"}}',0,1790845260000,1791018000000,0,0,-3140771765002867570);
CREATE TABLE campaign_report (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  partition INTEGER NOT NULL REFERENCES partition,
  provider TEXT NOT NULL,
  kind TEXT NOT NULL,
  content TEXT NOT NULL
) STRICT;
INSERT INTO campaign_report VALUES(1,1,'bell','due','8');
INSERT INTO campaign_report VALUES(2,1,'bell','suppressed','{"pivot":"9"}');
CREATE TABLE campaign_fact (
  partition INTEGER NOT NULL REFERENCES partition,
  provider TEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (partition, provider, kind, name)
) STRICT, WITHOUT ROWID;
INSERT INTO campaign_fact VALUES(1,'bell','attribute','plan','"free"');
INSERT INTO campaign_fact VALUES(1,'bell','event','bought','');
CREATE TABLE campaign_wait (
  row INTEGER PRIMARY KEY
) STRICT;
INSERT INTO campaign_wait VALUES(5);
CREATE TABLE upload (
  row INTEGER PRIMARY KEY REFERENCES outbox(id) ON DELETE CASCADE,
  bytes BLOB NOT NULL
) STRICT;
INSERT INTO upload VALUES(4,X'ffd8ffe0');
CREATE TABLE delivered (
  partition INTEGER NOT NULL,
  item INTEGER NOT NULL,
  PRIMARY KEY (partition, item)
) STRICT, WITHOUT ROWID;
INSERT INTO delivered VALUES(1,4878825168999239101);
INSERT INTO delivered VALUES(1,8339811419322538047);
CREATE TABLE content_copy (
  item INTEGER PRIMARY KEY,
  partition INTEGER NOT NULL,
  source INTEGER NOT NULL,
  key BLOB NOT NULL,
  since INTEGER NOT NULL
) STRICT;
INSERT INTO content_copy VALUES(4294967300,1,1,X'000102030405060708090a0b0c0d0e0f',1790845260000);
CREATE TABLE content_mark (
  partition INTEGER NOT NULL,
  key BLOB NOT NULL,
  source INTEGER NOT NULL,
  name BLOB NOT NULL,
  marks INTEGER NOT NULL,
  snoozed INTEGER,
  ends INTEGER,
  PRIMARY KEY (partition, key, source, name)
) STRICT, WITHOUT ROWID;
INSERT INTO content_mark VALUES(1,X'000102030405060708090a0b0c0d0e0f',1,X'64',1,NULL,NULL);
CREATE TABLE assignment (
  partition INTEGER NOT NULL,
  experiment BLOB NOT NULL,
  version INTEGER NOT NULL,
  arm TEXT NOT NULL,
  assigned INTEGER,
  exposed INTEGER,
  PRIMARY KEY (partition, experiment, version)
) STRICT, WITHOUT ROWID;
INSERT INTO assignment VALUES(1,X'6275746f6e',1,'blue',1790845260000,NULL);
CREATE TABLE showing (
  partition INTEGER NOT NULL,
  surface TEXT NOT NULL,
  key BLOB NOT NULL,
  day INTEGER NOT NULL,
  shown INTEGER NOT NULL,
  held INTEGER NOT NULL,
  session TEXT,
  in_session INTEGER NOT NULL,
  PRIMARY KEY (partition, surface, key, day)
) STRICT, WITHOUT ROWID;
INSERT INTO showing VALUES(1,'templates',X'626f78',20,2,1,'s-1',1);
CREATE TABLE push_state (
  partition INTEGER NOT NULL,
  provider TEXT NOT NULL,
  environment TEXT NOT NULL,
  state TEXT NOT NULL,
  code TEXT,
  reason TEXT,
  token BLOB,
  changed INTEGER NOT NULL,
  PRIMARY KEY (partition, provider, environment)
) STRICT, WITHOUT ROWID;
INSERT INTO push_state VALUES(1,'paper','production','registered',NULL,NULL,X'0102030405060708',1790845260000);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('partition',2);
INSERT INTO sqlite_sequence VALUES('ledger',8);
INSERT INTO sqlite_sequence VALUES('outbox',5);
INSERT INTO sqlite_sequence VALUES('campaign_queue',2);
INSERT INTO sqlite_sequence VALUES('campaign_report',2);
CREATE INDEX outbox_lane ON outbox (partition, provider);
CREATE INDEX outbox_event ON outbox (event) WHERE event IS NOT NULL;
CREATE INDEX outbox_analytics ON outbox (analytics) WHERE analytics = 1;
CREATE INDEX outbox_batch ON outbox (batch) WHERE batch IS NOT NULL;
CREATE INDEX rejected_partition ON rejected (partition);
CREATE INDEX campaign_presentation_owner ON campaign_presentation (partition, provider);
CREATE INDEX campaign_queue_owner ON campaign_queue (partition, provider, campaign);
CREATE INDEX campaign_report_owner ON campaign_report (partition, provider);
CREATE INDEX content_copy_key ON content_copy (partition, key);
