SELECT json_object(
  'specversion', '1.0', 'id',
  lower(substr(hex(id), 1, 8) || '-' || substr(hex(id), 9, 4) || '-' || substr(hex(id), 13, 4)
    || '-' || substr(hex(id), 17, 4) || '-' || substr(hex(id), 21)),
  'source', 'urn:uuid:11111111-1111-4111-8111-111111111111',
  'type', 'engage.' || coalesce(CASE surface WHEN 'cards' THEN 'card.' END, '') || type,
  'subject', coalesce(owner, provider) || '/' || cast(item AS TEXT), 'time',
  strftime('%Y-%m-%dT%H:%M:%S', time / 1000, 'unixepoch') || printf('.%03dZ', time % 1000),
  'sequence', sequence, 'recordedtime',
  strftime('%Y-%m-%dT%H:%M:%S', recorded / 1000, 'unixepoch') || printf('.%03dZ', recorded % 1000),
  'uptime', uptime, 'zoneoffset', zone, 'userid',
  '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef', 'sessionid', session,
  'provider', provider, 'surface', surface, 'container', container, 'name', name,
  'data', json(properties))
FROM ledger ORDER BY sequence;
