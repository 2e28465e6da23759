/**
 * The driver adapter for the schema engine. The published adapter does not know the type `"char"`, in which the system catalogue
 * keeps its one-letter codes and which the engine reads when it looks at a database; this one passes it on as a character.
 */
import { PrismaPg } from '@prisma/adapter-pg';
import { ColumnTypeEnum, type SqlDriverAdapter, type SqlResultSet } from '@prisma/driver-adapter-utils';
import pg from 'pg';

const CHAR_OID = 18;
const TEXT_OID = 25;

/** The adapter hands the rows on as they are, so that they can carry which of their columns were of type `"char"`. */
const charColumns = new WeakMap<object, readonly number[]>();

/** A pool of one connection for the engine. The caller ends it: an engine that is freed leaves it open. */
export function enginePool(databaseUrl: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1, connectionTimeoutMillis: 10_000 });
  // A lost connection also fails the query that runs; the event alone would end the process.
  pool.on('error', () => undefined);
  const query = pool.query.bind(pool);
  pool.query = (async (config: pg.QueryConfig) => {
    const result = await query(config);
    const columns = result.fields.flatMap((field, index) => (field.dataTypeID === CHAR_OID ? [index] : []));
    for (const index of columns) Object.assign(result.fields[index] ?? {}, { dataTypeID: TEXT_OID });
    charColumns.set(result.rows, columns);
    return result;
  }) as typeof pool.query;
  return pool;
}

/** Adapters on a pool made by `enginePool`. */
export class EngineAdapterFactory extends PrismaPg {
  override async connect(): ReturnType<PrismaPg['connect']> {
    const adapter = await super.connect();
    const queryRaw = adapter.queryRaw.bind(adapter);
    adapter.queryRaw = async (query: Parameters<SqlDriverAdapter['queryRaw']>[0]): Promise<SqlResultSet> => {
      const result = await queryRaw(query);
      const columns = charColumns.get(result.rows) ?? [];
      const columnTypes = result.columnTypes.map((type, index) =>
        columns.includes(index) ? ColumnTypeEnum.Character : type,
      );
      return { ...result, columnTypes };
    };
    return adapter;
  }
}
