-- A worker says that it lives. $1 id, $2 host, $3 pid, $4 slots, $5 running, $6 version, $7 simulated, $8 stopped, $9 provider key
INSERT INTO workers (id, host, pid, slots, running, version, simulated, stopped_at, provider_key)
VALUES ($1, $2, $3, $4, $5, $6, $7, CASE WHEN $8::boolean THEN now() END, $9)
ON CONFLICT (id) DO UPDATE SET running = excluded.running, slots = excluded.slots, seen_at = now(), stopped_at = excluded.stopped_at
