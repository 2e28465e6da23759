/** SQL that destroys: found by what the statement means, after comments and spelling are out of the way. */

const CLIENTS =
  /^(psql|mysql|mariadb|sqlite3?|sqlcmd|mycli|pgcli|duckdb|cockroach|clickhouse(-client)?|snowsql|sqlplus|bq|usql|mongo(sh)?|redis-cli|cqlsh)$/;

/** Whether the program sends its words or its input to a database. */
export function isSqlClient(program: string): boolean {
  return CLIENTS.test(program);
}

/** The statement that destroys, or null. */
export function destructiveSql(text: string): string | null {
  const sql = withoutComments(text);
  for (const statement of sql.split(/;|\\g\b|\bGO\b/i)) {
    const plain = statement.trim().replace(/\s+/g, ' ');
    if (isDestructive(plain)) return plain.slice(0, 120);
  }
  return null;
}

function withoutComments(text: string): string {
  return text
    .replace(/\/\*(!\d*)?([\s\S]*?)\*\//g, (_all, bang: string | undefined, inner: string) =>
      bang === undefined ? ' ' : ` ${inner} `,
    )
    .replace(/--[^\n]*/g, ' ')
    .replace(/#[^\n]*/g, ' ');
}

function isDestructive(statement: string): boolean {
  if (/\b(drop|truncate)\b/i.test(statement) && !/^select\b[^()]*$/i.test(statement)) return true;
  if (/\b(flushall|flushdb)\b/i.test(statement)) return true;
  if (/\.(drop|dropDatabase|deleteMany|remove)\s*\(/i.test(statement)) return true;
  if (/\balter\b.*\b(drop|disable)\b/i.test(statement)) return true;
  if (/\bgrant\s+all\b|\brevoke\b/i.test(statement)) return true;
  if (/\bdelete\s+from\b|^delete\b|\bupdate\b.*\bset\b/i.test(statement)) return !hasRealCondition(statement);
  return /\bcopy\b.*\b(to|from)\s+program\b|\\!|\binto\s+(out|dump)file\b|\bload_extension\b|^\.(shell|system|import|output|once)\b/i.test(
    statement,
  );
}

/** A WHERE that is always true is none. */
function hasRealCondition(statement: string): boolean {
  const where = /\bwhere\b(.*)$/i.exec(statement)?.[1]?.trim();
  if (where === undefined || where === '') return false;
  const condition = where.replace(/^\(+|\)+$/g, '').trim();
  if (/^(true|1|not false|not 0|'?(\w+)'?\s*(=|like|<=>|>=|<=)\s*'?\2'?)$/i.test(condition)) return false;
  return !/\bor\s+\(*\s*(true|1|'?(\w+)'?\s*(=|like)\s*'?\2'?)\b/i.test(where);
}
