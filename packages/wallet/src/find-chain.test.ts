import { expect, test } from 'vitest'
import { chains, findChain } from './chains.ts'

test.each([
  ['1', 1],
  ['eth', 1],
  ['ethereum', 1],
  ['Mainnet', 1],
  ['op', 10],
  ['optimism', 10],
  ['bnb', 56],
  ['bsc', 56],
  ['unichain', 130],
  ['polygon', 137],
  ['matic', 137],
  ['zksync', 324],
  ['BASE', 8453],
  ['8453', 8453],
  ['arbitrum', 42161],
  ['celo', 42220],
  ['avalanche', 43114],
  ['avax', 43114],
  ['blast', 81457],
  ['sepolia', 11155111],
  ['base-sepolia', 84532],
])('%s is chain %i', (name, id) => {
  expect(findChain(chains, name)?.id).toBe(id)
})

test.each([
  '',
  ' base',
  'base ',
  '08453',
  '8453.0',
  '0x2105',
  '1e0',
  'b\u0430se',
  '\u212Aovan',
  'op\n',
  '31337',
  'goerli',
])('%j is no chain', (name) => {
  expect(findChain(chains, name)).toBeUndefined()
})

test('a row of its own can be appended', () => {
  const local = { ...chains[0]!, id: 31337, name: 'local', aliases: ['devnet'] }
  expect(findChain([...chains, local], 'devnet')).toBe(local)
})
