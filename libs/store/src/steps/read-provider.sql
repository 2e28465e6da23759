-- The state of a key. Of each model the newest pause, also when it is over: `id` tells pauses apart, `leftMs` is what is left of it
-- by the database's clock, negative when it is over. $1 id
SELECT k.parked_class, k.parked_message, coalesce((
  SELECT json_agg(json_build_object('model', p.model, 'id', p.until::text, 'errorClass', p.reason,
    'leftMs', round(extract(epoch FROM p.until - clock_timestamp()) * 1000)::float8))
  FROM provider_pauses p WHERE p.key_id = k.id
), '[]') AS pauses
FROM provider_keys k WHERE k.id = $1
