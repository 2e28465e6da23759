-- Writes down the end of a process that counts as running. $1 id, $2 state, $3 exit code, $4 signal, $5 cause, $6 bytes of output
UPDATE processes SET state = $2::process_state, exit_code = $3, signal = $4, cause = $5, output_bytes = $6, ended_at = now()
WHERE id = $1 AND state = 'running'
RETURNING task_id, background
