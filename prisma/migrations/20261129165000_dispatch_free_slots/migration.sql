-- One dispatch round: chooses which wakes of the backlog are to be announced now, and marks them as announced. See docs/adr/0006.
-- A function and no plain statement, because what it counts must be read after it has the lock: each statement inside has a
-- snapshot of its own. `fresh_*` are wakes that were just committed; those that stay in the backlog get their place in line.
-- Result, in order: the wakes to announce, and how often each was announced before.
CREATE OR REPLACE FUNCTION "admit_wakes"(fresh_tasks text[], fresh_wakes int[]) RETURNS TABLE (task_id text, wake int, tries int)
LANGUAGE plpgsql VOLATILE
-- Whatever the statistics say of a table that fills and empties: read along the indexes, and compile nothing.
SET enable_seqscan = off SET enable_sort = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  -- Stored times are rounded to milliseconds, so a wake of this moment may lie half of one ahead.
  moment timestamptz;
  slots bigint;
  free bigint;
  places bigint;
  reserve bigint;
  announced bigint;
  resuming bigint;
  room bigint;
  only_woken boolean;
  -- Whether the queue takes work: see the migration `queue_flow`.
  flow text;
BEGIN
  PERFORM pg_advisory_xact_lock(7300000002);
  -- A mark that a crash of the server takes back means a second announcement, which is harmless; nobody waits for the disk here.
  PERFORM set_config('synchronous_commit', 'off', true);
  moment := clock_timestamp() + interval '500 microseconds';
  SELECT coalesce((SELECT q.state FROM queue_flows q WHERE q.name = 'tasks'), 'open') INTO flow;

  -- Workers report every 5 s; one that missed three reports does not count. Their runs are counted in the tasks, to the instant.
  SELECT coalesce(sum(w.slots), 0), coalesce(sum(greatest(w.slots - coalesce(busy.runs, 0), 0)), 0) INTO slots, free
  FROM workers w LEFT JOIN (SELECT worker_id, count(*) AS runs FROM tasks WHERE state = 'running' GROUP BY worker_id) busy ON busy.worker_id = w.id
  WHERE w.stopped_at IS NULL AND w.seen_at > moment - interval '15 seconds' AND w.flow = 'open';
  -- Nothing ahead of a free slot: what stands in line for one is no longer in fair order. Without a worker: a few, for the first one to find.
  places := CASE WHEN flow = 'paused' THEN 0 WHEN slots = 0 THEN 8 ELSE free END;
  reserve := CASE WHEN flow = 'paused' THEN 0 ELSE greatest(1, ceil(places * 0.1)) END;

  -- First the reserved share, for tasks that were woken before and for nobody else; then whatever fits, for all.
  FOREACH only_woken IN ARRAY ARRAY[true, false] LOOP
    SELECT count(*), count(*) FILTER (WHERE d.wake > 1) INTO announced, resuming FROM dispatches d WHERE d.announced_at IS NOT NULL;
    room := CASE WHEN only_woken THEN reserve - resuming ELSE places - announced END;
    CONTINUE WHEN room <= 0;
    RETURN QUERY
      WITH RECURSIVE backlog(id) AS (
        (SELECT d.tenant_id FROM dispatches d WHERE d.announced_at IS NULL ORDER BY d.tenant_id LIMIT 1)
        UNION ALL
        SELECT (SELECT d.tenant_id FROM dispatches d WHERE d.announced_at IS NULL AND d.tenant_id > backlog.id ORDER BY d.tenant_id LIMIT 1)
        FROM backlog WHERE backlog.id IS NOT NULL
      ), flying AS (
        SELECT f.tenant_id, count(*) AS runs FROM (
          SELECT t.tenant_id FROM tasks t WHERE t.state = 'running'
          UNION ALL
          SELECT d.tenant_id FROM dispatches d WHERE d.announced_at IS NOT NULL) f
        GROUP BY f.tenant_id
      ), involved(id) AS (
        -- However many tenants there are: only those that want something or have something.
        SELECT backlog.id FROM backlog WHERE backlog.id IS NOT NULL UNION SELECT flying.tenant_id FROM flying
      ), tenant AS (
        SELECT t.id, t.weight, coalesce(flying.runs, 0) AS runs,
          -- Who was idle rejoins where the rotation is: no credit is saved up.
          greatest(t.turn, (SELECT max(o.turn - 1.0 / o.weight) FROM tenants o)) AS turn,
          CASE WHEN backlog.id IS NULL THEN 0 ELSE greatest(least(room, t.max_running - coalesce(flying.runs, 0)), 0) END AS most
        FROM involved JOIN tenants t ON t.id = involved.id
        LEFT JOIN flying ON flying.tenant_id = t.id LEFT JOIN backlog ON backlog.id = t.id
      ), total AS (
        SELECT sum(tenant.weight) AS weight, sum(tenant.runs) + room AS runs FROM tenant
      ), head AS (
        SELECT tenant.*, d.task_id, d.wake, d.place, row_number() OVER (PARTITION BY tenant.id ORDER BY d.place, d.task_id) AS k
        FROM tenant CROSS JOIN (SELECT true AS woken UNION ALL SELECT false WHERE NOT only_woken) kind CROSS JOIN LATERAL (
          SELECT b.task_id, b.wake, (coalesce(b.place_at, b.run_at) AT TIME ZONE 'UTC') - b.priority * interval '1 second' AS place
          FROM dispatches b
          WHERE b.announced_at IS NULL AND b.tenant_id = tenant.id AND (b.wake > 1) = kind.woken AND b.run_at <= moment
            -- A queue that is drained begins no new tree.
            AND (flow <> 'draining' OR b.wake > 1 OR EXISTS (SELECT FROM tasks t WHERE t.id = b.task_id AND t.parent_id IS NOT NULL))
            -- Priorities go down to -100: what lies behind this is not due.
            AND (coalesce(b.place_at, b.run_at) AT TIME ZONE 'UTC') - b.priority * interval '1 second'
                <= (moment AT TIME ZONE 'UTC') + interval '100 seconds'
          ORDER BY (coalesce(b.place_at, b.run_at) AT TIME ZONE 'UTC') - b.priority * interval '1 second'
          LIMIT tenant.most) d
      ), ranked AS (
        -- Who holds less than the share of its weight goes first; among those alike, whoever was served least for its weight.
        SELECT head.*, row_number() OVER (
          ORDER BY (head.runs + head.k - 1) * total.weight >= head.weight * total.runs, head.turn + (head.k - 1.0) / head.weight, head.place, head.task_id) AS nth
        FROM head, total WHERE head.k <= head.most
      ), chosen AS (
        -- What somebody is claiming or cancelling at this moment is left alone: waiting for it could be a deadlock.
        SELECT ranked.*, d.announces FROM ranked CROSS JOIN LATERAL (
          SELECT b.announces FROM dispatches b WHERE b.task_id = ranked.task_id AND b.wake = ranked.wake AND b.announced_at IS NULL
          FOR UPDATE SKIP LOCKED) d
        WHERE ranked.nth <= room
      ), marked AS (
        UPDATE dispatches d SET announced_at = moment, announces = d.announces + 1
        FROM chosen WHERE d.task_id = chosen.task_id AND d.wake = chosen.wake
      ), charged AS (
        -- The rotation only turns while somebody waits for somebody else.
        UPDATE tenants t SET turn = served.turn + served.wakes / t.weight::float
        FROM (SELECT chosen.id, max(chosen.turn) AS turn, count(*) AS wakes FROM chosen GROUP BY chosen.id) served
        WHERE t.id = served.id AND (SELECT count(DISTINCT head.id) FROM head) > 1
      )
      SELECT chosen.task_id, chosen.wake, chosen.announces FROM chosen ORDER BY chosen.nth;
  END LOOP;

  -- What belongs to a tree that has started and has to wait stands where its tree stands, the deeper the earlier: by a second a level.
  WITH left_over AS (
    SELECT d.task_id, d.wake, coalesce(root.run_at, root.created_at) - t.depth * interval '1 second' AS place
    FROM unnest(fresh_tasks, fresh_wakes) AS fresh(task_id, wake)
    CROSS JOIN LATERAL (
      SELECT b.task_id, b.wake FROM dispatches b
      WHERE b.task_id = fresh.task_id AND b.wake = fresh.wake AND b.announced_at IS NULL AND b.place_at IS NULL
        -- Asked before the row is locked: most of what is fresh are roots, which stand where they are.
        AND (fresh.wake > 1 OR EXISTS (SELECT FROM tasks c WHERE c.id = fresh.task_id AND c.parent_id IS NOT NULL))
        -- What may not begin yet would be in the way of every round if it stood with the rest of its tree: it keeps its own time.
        AND b.run_at <= moment
      FOR UPDATE SKIP LOCKED) d
    JOIN tasks t ON t.id = d.task_id JOIN tasks root ON root.id = t.root_id
  )
  UPDATE dispatches d SET place_at = left_over.place FROM left_over WHERE d.task_id = left_over.task_id AND d.wake = left_over.wake;
END
$$;
