-- $1 kind, $2 how many
WITH by_hour AS (
  INSERT INTO repair_hours (kind, hour, count) VALUES ($1, date_bin('1 hour', now(), 'epoch'), $2)
  ON CONFLICT (kind, hour) DO UPDATE SET count = repair_hours.count + excluded.count
)
INSERT INTO repairs (kind, count, last_at) VALUES ($1, $2, now())
ON CONFLICT (kind) DO UPDATE SET count = repairs.count + excluded.count, last_at = now()
