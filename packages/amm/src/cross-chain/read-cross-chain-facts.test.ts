import { chains, findChain } from '@svc/wallet/core'
import {
  encodeAbiParameters,
  getAbiItem,
  hexToNumber,
  numberToHex,
  pad,
  type PublicClient,
  toEventSelector,
} from 'viem'
import { expect, test } from 'vitest'
import { erc20Abi } from '../abis/tokens.ts'
import { ToolError } from '../tool-error.ts'
import { readCrossChainRefund } from './read-cross-chain-facts.ts'

const base = findChain(chains, 'base')!
const [settler, inputToken, wallet] = (['5', '1', 'b'] as const).map((digit) =>
  pad(`0x${digit.repeat(40)}`, { size: 20 }),
)
const order = { settler, inputToken, inputAmount: 1_000n } as Parameters<typeof readCrossChainRefund>[1]['order']
const opened = { order, wallet: wallet!, signedAt: 0, openedIn: 1_000n }
const [refundedIn, newest] = [1_200, 1_300]
const refund = pad(numberToHex(refundedIn), { size: 32 })

/** An endpoint that gives so many logs at the most, of a token that has paid the wallet 1,000 once and announced nothing at all many times. */
function endpoint(nothingIn: (block: number) => number, most = 100): PublicClient {
  const logAt = (block: number, index: number, value: bigint) => ({
    address: inputToken,
    topics: [toEventSelector(getAbiItem({ abi: erc20Abi, name: 'Transfer' })), pad(settler!), pad(wallet!)],
    data: encodeAbiParameters([{ type: 'uint256' }], [value]),
    blockNumber: numberToHex(block),
    blockHash: pad(numberToHex(block), { size: 32 }),
    transactionHash: value > 0n ? refund : pad(numberToHex(10_000 + block), { size: 32 }),
    transactionIndex: '0x0',
    logIndex: numberToHex(index),
    removed: false,
  })
  return {
    async request({
      params: [{ fromBlock, toBlock }],
    }: {
      params: [{ fromBlock: `0x${string}`; toBlock: `0x${string}` }]
    }) {
      const [from, to] = [hexToNumber(fromBlock), hexToNumber(toBlock)]
      const blocks = Array.from({ length: to - from + 1 }, (_, index) => from + index)
      const logs = blocks.flatMap((block) => {
        const nothing = Array.from({ length: nothingIn(block) }, (_, index) => logAt(block, index, 0n))
        return block === refundedIn ? nothing.concat(logAt(block, 1_000, 1_000n)) : nothing
      })
      if (logs.length > most) throw new ToolError('RPC_REFUSED', 'query returned too many results')
      return logs
    },
    async getTransactionReceipt({ hash }: { hash: string }) {
      if (hash !== refund) throw new Error('nothing was paid there')
      return { logs: [] }
    },
  } as unknown as PublicClient
}

test.each([
  ['nowhere', () => 0],
  ['in every block, more than one answer holds', () => 10],
  ['in one block, more than any answer holds', (block: number) => (block === 1_100 ? 200 : 0)],
] as const)('a refund is found where strangers had nothing announced %s', async (_where, nothingIn) => {
  const reads = { client: endpoint(nothingIn), chain: base }
  const found = await readCrossChainRefund(reads, opened, { number: BigInt(newest), timestamp: 4_000n })
  expect(found).toEqual({ txHash: refund, blockNumber: BigInt(refundedIn), amountIn: 1_000n })
})
