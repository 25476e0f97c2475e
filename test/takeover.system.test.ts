import { expect, test } from 'vitest'
import { nothingWrong, runKills } from './run-kills.ts'

// A seeded part of `npm run kills -- --kind takeover`, whose stops take their time. A failure prints its story.
test(
  'two servers over one database: 4 leaders killed and 2 stopped, nothing done twice, nothing lost',
  { retry: 0, timeout: 1_200_000 },
  async ({ signal }) => {
    const words = ['--kind', 'takeover', '--seed', '9', '--kills', '4', '--freezes', '2', '--json']
    const { printed, summary } = await runKills(signal, words)
    expect({ ...summary, printed }).toMatchObject({
      kills: 4,
      freezes: 2,
      ...nothingWrong,
    })
  },
)
