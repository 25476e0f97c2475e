import { expect, it } from 'vitest'
import { nearestName } from './nearest-name.ts'

const names = ['execute_swap', 'add_liquidity', 'tx.failed', 'tx.settled']

it.each([
  ['excecute_swap', 'execute_swap'],
  ['EXECUTE_SWAP', 'execute_swap'],
  ['add-liquidty', 'add_liquidity'],
  ['tx.settle', 'tx.settled'],
  ['tx.faild', 'tx.failed'],
  ['tx.ser', null],
  ['bridge', null],
  ['', null],
  ['x'.repeat(100_000), null],
])('takes %.20s for %s', (written, meant) => {
  expect(nearestName(written, names)).toBe(meant)
})
