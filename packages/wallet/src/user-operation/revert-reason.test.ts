import { encodeErrorResult, parseAbi } from 'viem'
import { expect, test } from 'vitest'
import { revertReason } from './revert-reason.ts'

const abi = parseAbi([
  'error Error(string)',
  'error Panic(uint256)',
  'error Own(uint256, uint256)',
  'error ERC721NonexistentToken(uint256)',
])

test.each([
  ['0x', null],
  [encodeErrorResult({ abi, errorName: 'Error', args: ['Not authorized'] }), 'Not authorized'],
  [encodeErrorResult({ abi, errorName: 'Panic', args: [17n] }), 'Panic(17)'],
  [encodeErrorResult({ abi, errorName: 'ERC721NonexistentToken', args: [7n] }), 'ERC721NonexistentToken(7)'],
  ['0x12345678', '0x12345678'],
  [encodeErrorResult({ abi, errorName: 'Own', args: [1n, 2n] }), expect.stringMatching(/^0x[0-9a-f]{72}\.\.\.$/)],
  ['0x08c379a0', '0x08c379a0'],
] as const)('%s is told as %s', (data, reason) => {
  expect(revertReason(data)).toEqual(reason)
})

test('a sentence cannot pose as more than a sentence of a contract', () => {
  const said = (sentence: string) => revertReason(encodeErrorResult({ abi, errorName: 'Error', args: [sentence] }))
  expect(said('no\n\u202egas\u{e0041}')).toBe(String.raw`no\u{a}\u{202e}gas\u{e0041}`)
  expect(said('x'.repeat(5_000))).toBe('x'.repeat(200))
  expect(said('\n'.repeat(5_000))).toHaveLength(200)
})
