import { expect, test } from 'vitest'
import { createVerdicts } from '../create-pool-history.ts'

const hour = 3_600_000
const asked = (id: string, v3 = 'a') => ({ chain: { id: 1, subgraphs: { v3 } }, pool: { id, version: 'v3' } }) as never

test('a verdict is of one subgraph and one pool, for six hours', () => {
  let time = 0
  const verdicts = createVerdicts(() => time)
  verdicts.keep(asked('0xA'), 'lied')
  const problem =
    'was refused at 1970-01-01T00:00:00.000Z and is passed over until 1970-01-01T06:00:00.000Z, as it lied'
  expect([verdicts.of(asked('0xa')), verdicts.of(asked('0xb')), verdicts.of(asked('0xa', 'b'))]).toEqual([
    { problem },
    null,
    null,
  ])
  time = 6 * hour - 1
  expect(verdicts.of(asked('0xa'))).toEqual({ problem })
  time = 6 * hour
  expect(verdicts.of(asked('0xa'))).toBeNull()
})

test('a thousand verdicts are kept, the last ones', () => {
  const verdicts = createVerdicts(() => 0)
  for (let at = 0; at < 1_000; at += 1) verdicts.keep(asked(`0x${at}`), 'lied')
  verdicts.keep(asked('0x0'), 'lied again')
  verdicts.keep(asked('0xnew'), 'lied')
  const kept = ['0x0', '0x1', '0x2', '0xnew'].map((id) => verdicts.of(asked(id)) !== null)
  expect(kept).toEqual([true, false, true, true])
})
