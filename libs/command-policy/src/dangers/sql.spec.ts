import { describe, expect, it } from '@jest/globals';
import { destructiveSql } from './sql.js';

describe('SQL', () => {
  it('destroys when it drops, empties, or changes rows without a real condition', () => {
    for (const sql of [
      'drop table t',
      'DROP/**/TABLE t',
      'select 1; truncate t',
      'delete from t',
      'DELETE FROM t WHERE 1 = 1',
      "delete from t where 'x'='x'",
      'delete from t where (true)',
      'update t set a = 1',
      'update t set a=1 where a=1 or 1=1',
      'delete from t -- where id = 1',
      'alter table t drop column c',
      '/*! drop */ table t',
      "copy t to program 'x'",
      '.shell x',
      'delete\nfrom\nt',
    ]) {
      expect([sql, destructiveSql(sql) === null]).toEqual([sql, false]);
    }
  });

  it('does not when it reads, or changes the rows that it names', () => {
    for (const sql of [
      'select * from t',
      "select 'a' from drops",
      'delete from t where id = 5',
      "update t set a = 1 where name = 'x'",
      'insert into t values (1)',
      'select updated_at from t',
      'explain select 1',
    ]) {
      expect([sql, destructiveSql(sql)]).toEqual([sql, null]);
    }
  });
});
