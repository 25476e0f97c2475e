import { createPublicClient, custom, encodeErrorResult, type Hex, parseAbi, zeroAddress } from 'viem'
import { expect, it } from 'vitest'
import { isPastSlippage, minedRevertReason, revertReason } from './revert-reason.ts'

const abi = parseAbi([
  'error Error(string reason)',
  'error Panic(uint256 code)',
  'error ExecutionFailed(uint256 commandIndex, bytes message)',
  'error WrappedError(address target, bytes4 selector, bytes reason, bytes details)',
  'error PoolNotInitialized()',
  'error V4TooLittleReceived(uint256 minAmountOutReceived, uint256 amountReceived)',
  'error Strange(uint256 value)',
])
const text = (reason: string) => encodeErrorResult({ abi, errorName: 'Error', args: [reason] })

it.each<readonly [Hex | undefined, string]>([
  [undefined, 'reverted without a reason'],
  ['0x', 'reverted without a reason'],
  [text('STF'), 'reverted with the text "STF"'],
  [text('a\u202Eb\n"c"'), 'reverted with the text "a\\u202eb\\n\\"c\\""'],
  [text('x'.repeat(100)), `reverted with the text "${'x'.repeat(64)}..."`],
  [encodeErrorResult({ abi, errorName: 'Panic', args: [0x11n] }), 'panicked: arithmetic overflow'],
  [encodeErrorResult({ abi, errorName: 'Panic', args: [0x99n] }), 'panicked: code 153'],
  [encodeErrorResult({ abi, errorName: 'PoolNotInitialized' }), 'reverted with PoolNotInitialized'],
  [encodeErrorResult({ abi, errorName: 'V4TooLittleReceived', args: [2n, 1n] }), 'reverted with V4TooLittleReceived'],
  [encodeErrorResult({ abi, errorName: 'Strange', args: [1n] }), 'reverted with the unknown error 0xfc5a44bf'],
  [
    encodeErrorResult({ abi, errorName: 'ExecutionFailed', args: [0n, text('Too old')] }),
    'ExecutionFailed: reverted with the text "Too old"',
  ],
  ['0x08c379a0', 'reverted with the unknown error 0x08c379a0'],
])('says %#', (data, reason) => {
  expect(revertReason(data)).toBe(reason)
})

it('does not read what is wrapped so often that it takes long', () => {
  const wrap = (message: Hex) => encodeErrorResult({ abi, errorName: 'ExecutionFailed', args: [0n, message] })
  let data = text('deep')
  while (data.length <= 8_192) data = wrap(data)
  expect(revertReason(data)).toBe(`reverted with the unknown error ${data.slice(0, 10)}`)
})

it.each([
  text('Too little received'),
  text('UniswapV2Router: INSUFFICIENT_OUTPUT_AMOUNT'),
  text('UniswapV2Router: INSUFFICIENT_B_AMOUNT'),
  text('Price slippage check'),
  encodeErrorResult({ abi, errorName: 'V4TooLittleReceived', args: [2n, 1n] }),
  encodeErrorResult({ abi, errorName: 'ExecutionFailed', args: [0n, text('Too little received')] }),
])('tells a pool that moved past the slippage %#', (data) => {
  expect(isPastSlippage(revertReason(data))).toBe(true)
})

it.each([undefined, text('STF'), text('UniswapV2: K'), encodeErrorResult({ abi, errorName: 'PoolNotInitialized' })])(
  'takes no other failure for one %#',
  (data) => {
    expect(isPastSlippage(revertReason(data))).toBe(false)
  },
)

it.each([
  [{ code: 3, message: 'execution reverted', data: text('STF') }, 'reverted with the text "STF"'],
  [{ code: 3, message: 'execution reverted' }, 'reverted without a reason'],
  [{ code: -32_000, message: 'missing trie node' }, 'reverted without a reason'],
  [null, 'reverted; the same call succeeds on the state before its block'],
])('asks again why a mined call reverted, and takes %j for an answer', async (failure, reason) => {
  const blocks: unknown[] = []
  const request = async ({ params }: { readonly params: readonly unknown[] }) => {
    blocks.push(params[1])
    if (failure !== null) throw Object.assign(new Error(failure.message), failure)
    return '0x'
  }
  const client = createPublicClient({ transport: custom({ request }, { retryCount: 0 }) })
  const step = { to: zeroAddress, data: '0x', valueWei: 0n } as const
  expect(await minedRevertReason({ client, wallet: zeroAddress }, step, { blockNumber: 8n })).toBe(reason)
  expect(blocks).toEqual(['0x7'])
})
