import { expect, test } from 'vitest'
import { openDatabase } from './sqlite/sqlite-engine.ts'

test('commits reach the disk before they return, and references are checked', () => {
  const database = openDatabase(':memory:')
  expect(database.prepare('pragma synchronous').all([])).toEqual([{ synchronous: 2n }])
  expect(database.prepare('pragma foreign_keys').all([])).toEqual([{ foreign_keys: 1n }])
  expect(database.prepare('pragma busy_timeout').all([])).toEqual([{ timeout: 250n }])
  database.close()
})
