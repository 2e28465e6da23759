-- A worker says that it lives, and is told whether it may take work. $1 id, $2 host, $3 pid, $4 slots, $5 running, $6 version, $7 simulated, $8 stopped, $9 provider key,
-- $10 ms without a word that are a gap, $11 what holds the programs of agents, $12 its installation, $13 hours that it keeps the
-- workspaces of ended trees
INSERT INTO workers (id, host, pid, slots, running, version, simulated, stopped_at, provider_key, sandbox, home, keep_hours)
VALUES ($1, $2, $3, $4, $5, $6, $7, CASE WHEN $8::boolean THEN now() END, $9, $11, $12, $13)
ON CONFLICT (id) DO UPDATE SET running = excluded.running, slots = excluded.slots, seen_at = now(),
  seen_since = CASE WHEN workers.seen_at < now() - $10::int * interval '1 ms' THEN now() ELSE workers.seen_since END, stopped_at = excluded.stopped_at
RETURNING flow
