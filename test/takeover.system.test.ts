import { expect, test } from 'vitest'
import { runKills } from './run-kills.ts'

// A seeded tenth of `npm run kills -- --kind takeover`. A failure prints its story.
test('two servers over one database: 10 leaders killed and 5 stopped, nothing done twice, nothing lost', async ({
  signal,
}) => {
  const words = ['--kind', 'takeover', '--seed', '9', '--kills', '10', '--freezes', '5', '--json']
  const { printed, summary } = await runKills(signal, words)
  expect({ ...summary, printed }).toMatchObject({
    kills: 10,
    freezes: 5,
    duplicates: 0,
    lost: 0,
    open: 0,
    gaps: 0,
    ledgerMismatches: 0,
    other: 0,
    problems: [],
  })
}, 1_200_000)
