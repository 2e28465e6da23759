/** Postgres: the durable record. Everything that touches the database is in this library. */
export {};
