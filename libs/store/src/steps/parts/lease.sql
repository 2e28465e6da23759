    -- Epoch + 1, owner, expiry by the database's clock.
    state = 'running',
    epoch = epoch + 1,
    worker_id = $3,
    lease_expires_at = now() + $4::int * interval '1 millisecond',
    leased_at = now(),
    wait_reason = NULL,
    wait_id = NULL,
    started_at = coalesce(started_at, now()),
    event_seq = event_seq + 2,
    updated_at = now()
