import { expect, test } from 'vitest'
import { runKills } from './run-kills.ts'

// A seeded part of `npm run kills -- --kind registration`, which kills 200. A failure prints what was told; run
// `npm run kills -- --kind registration --seed SEED --count 12` for kills of the same kind. Nothing here is judged by how long it takes.
test(
  '12 killed registrations of seed 9 leave one identity each, one grant, one pinned file, one operation',
  { retry: 0, timeout: 600_000 },
  async ({ signal }) => {
    const { printed, summary } = await runKills(signal, [
      '--kind',
      'registration',
      '--seed',
      '9',
      '--count',
      '12',
      '--json',
    ])
    expect({ ...summary, printed }).toMatchObject({
      twice: 0,
      lost: 0,
      gaps: 0,
      other: 0,
      problems: [],
      holds: true,
    })
  },
)
