/** Content blocks of the API history in SQL. Content that is no array has no blocks here: I6 reports it. */

/** `content` as an array, for functions that fail on anything else. */
export const BLOCKS = `CASE WHEN json_typeof(m.content) = 'array' THEN m.content ELSE '[]'::json END`;

/** Ids in the blocks of one type of the message `m`, in order; empty when there are none. */
export function idsOf(type: 'tool_use' | 'tool_result'): string {
  const id = type === 'tool_use' ? 'id' : 'tool_use_id';
  return `ARRAY(
    SELECT b.value ->> '${id}' FROM json_array_elements(${BLOCKS}) WITH ORDINALITY AS b(value, place)
    WHERE b.value ->> 'type' = '${type}' ORDER BY b.place)`;
}
