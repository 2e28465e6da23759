-- $1 kind, $2 how many
INSERT INTO repairs (kind, count, last_at) VALUES ($1, $2, now())
ON CONFLICT (kind) DO UPDATE SET count = repairs.count + excluded.count, last_at = now()
