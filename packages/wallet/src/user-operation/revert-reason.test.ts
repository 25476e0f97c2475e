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
