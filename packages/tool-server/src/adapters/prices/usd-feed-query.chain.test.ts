import { useDevnet } from '@svc/devnet/testing'
import { type Address, concatHex, createTestClient, type Hex, http, numberToHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { createReadsBench } from '../liquidity/reads-bench.fixture.ts'
import { readQuery } from '../rpc/read-query.ts'
import { usdFeedQuery } from './usd-feed-query.ts'

const devnet = useDevnet()
const address: Address = '0x000000000000000000000000000000000000f00d'
const now = 1_800_000_000n

describe('usdFeedQuery', () => {
  it.each<readonly [string, bigint, bigint, bigint | null]>([
    ['an answer of now', 3_000_12345678n, now, 3_000_12345678n * 10n ** 10n],
    ['an answer as old as its heartbeat', 1n, now - 3_600n, 10n ** 10n],
    ['a stale answer', 3_000n * 10n ** 8n, now - 3_601n, null],
    ['an answer from the future', 3_000n * 10n ** 8n, now + 1n, null],
    ['zero', 0n, now, null],
    ['less than zero', -1n, now, null],
  ])('%s', async (_what, answer, updatedAt, expected) => {
    await standFeed(answer, updatedAt)
    expect(await read()).toBe(expected)
  })

  it('is null where no contract stands, and where the row names no feed', async () => {
    await standCode('0x')
    expect(await read()).toBeNull()
    expect(usdFeedQuery({}, now).finish([])).toBeNull()
  })
})

async function read(): Promise<bigint | null> {
  const { chain, rpc } = createReadsBench(devnet())
  const { number } = await rpc.head(chain)
  return readQuery(
    rpc.client(chain),
    chain,
    usdFeedQuery({ usdFeed: { address, heartbeatSeconds: 3_600 } }, now),
    number,
  )
}

/**
 * Code that answers any call with (8, answer, updatedAt, updatedAt, 1): a round for `latestRoundData`, whose first word
 * serves `decimals`.
 */
function standFeed(answer: bigint, updatedAt: bigint): Promise<void> {
  const words = [8n, answer, updatedAt, updatedAt, 1n]
  const stores = words.map((word, index): Hex =>
    concatHex([
      '0x7f',
      numberToHex(BigInt.asUintN(256, word), { size: 32 }),
      '0x60',
      numberToHex(index * 32, { size: 1 }),
      '0x52',
    ]),
  )
  return standCode(concatHex([...stores, '0x60a05ff3']))
}

async function standCode(bytecode: Hex): Promise<void> {
  const client = createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
  await client.setCode({ address, bytecode })
  await client.mine({ blocks: 1 })
}
