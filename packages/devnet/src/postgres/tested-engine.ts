/**
 * The engine that tests of stored state run on: SQLite, and PostgreSQL where `SVC_TEST_ENGINE` says so, as for the tests of the
 * whole system. Throws a `TypeError` for any other name.
 */
export function testedEngine(): 'SQLite' | 'PostgreSQL' {
  const named = process.env['SVC_TEST_ENGINE'] ?? 'SQLite'
  if (named === 'SQLite' || named === 'PostgreSQL') return named
  throw new TypeError('SVC_TEST_ENGINE is neither SQLite nor PostgreSQL.')
}
