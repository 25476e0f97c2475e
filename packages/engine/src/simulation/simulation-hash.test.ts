import { expect, it } from 'vitest'
import { simulationHash } from './asset-changes.ts'

const wallet = '0x00000000000000000000000000000000000000aA'
const token = '0x00000000000000000000000000000000000000bB'
const step = { to: token, data: '0x12345678', valueWei: 7n } as const
const effect = {
  chainId: 1,
  wallet,
  block: 5n,
  atSeconds: 9,
  steps: [step],
  deltas: new Map([
    [token, -3n],
    [wallet, 4n],
  ]),
} as const

it('is the hash of the text that its description names', () => {
  // From `sha256sum` of [1,"0x…aa","5",9,[["0x…bb","0x12345678","7"]],[["0x…aa","4"],["0x…bb","-3"]]], the dots as zeros.
  expect(simulationHash(effect)).toBe('0x21ce2962f2342ea66272529fefe2c6650d18ccbb4c69d34178d1261d6b36a40f')
})

it('is the same whatever the case of addresses, the order of tokens, and with changes that are none', () => {
  const lower = wallet.toLowerCase() as typeof wallet
  const deltas = new Map([
    [lower, 4n],
    [token.toLowerCase(), -3n],
    ['0x00000000000000000000000000000000000000cc', 0n],
  ])
  expect(simulationHash({ ...effect, wallet: lower, deltas })).toBe(simulationHash(effect))
})

it.each([
  { chainId: 2 },
  { wallet: token },
  { block: 6n },
  { atSeconds: 10 },
  { steps: [] },
  { steps: [{ ...step, to: wallet }] },
  { steps: [{ ...step, data: '0x12345679' }] },
  { steps: [{ ...step, valueWei: 8n }] },
  { deltas: new Map([[token, -3n]]) },
  { deltas: new Map([...effect.deltas, [token, -4n]]) },
] as const)('is another one when anything of it is another: %#', (change) => {
  expect(simulationHash({ ...effect, ...change })).not.toBe(simulationHash(effect))
})
