import { describe, test } from 'vitest'
import { nothingWrong, runKills } from './run-kills.ts'

// A seeded part of `npm run kills`, which kills the server 200 times. A failure prints its story; run
// `npm run kills -- --seed SEED --count 6 --engine ENGINE` for kills of the same kind. Both engines run at once, for a
// server that starts or waits for a block leaves time to the other. Nothing here is judged by how long it takes.
describe.concurrent.each([
  ['sqlite', '7'],
  ['postgres', '8'],
])('G1, G2, G3, G4, G11: 6 kills of a server on %s, seed %s', (engine, seed) => {
  test(
    'have no effect twice, lose none, leave no gap in the nonces and no cent between ledger and chain',
    { retry: 0, timeout: 1_200_000 },
    async ({ expect, signal }) => {
      const { printed, summary } = await runKills(signal, [
        '--engine',
        engine,
        '--seed',
        seed,
        '--count',
        '6',
        '--json',
      ])
      expect({ ...summary, printed }).toMatchObject({
        kills: 6,
        ...nothingWrong,
        holds: true,
      })
    },
  )
})
