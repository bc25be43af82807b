SELECT
  lower(substr(hex(id), 1, 8) || '-' || substr(hex(id), 9, 4) || '-' || substr(hex(id), 13, 4)
    || '-' || substr(hex(id), 17, 4) || '-' || substr(hex(id), 21)) AS id,
  'urn:uuid:11111111-1111-4111-8111-111111111111' AS source,
  'engage.' || coalesce(CASE surface WHEN 'cards' THEN 'card.' END, '') || type AS type,
  coalesce(owner, provider) || '/' || cast(item AS TEXT) AS subject,
  strftime('%Y-%m-%dT%H:%M:%S', time / 1000, 'unixepoch') || printf('.%03dZ', time % 1000) AS time,
  sequence,
  strftime('%Y-%m-%dT%H:%M:%S', recorded / 1000, 'unixepoch') || printf('.%03dZ', recorded % 1000)
    AS recordedtime,
  uptime, zone AS zoneoffset,
  '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef' AS userid,
  session AS sessionid, provider, surface, container, name, properties AS data
FROM ledger ORDER BY sequence;
