import { createPublicClient, createWalletClient, http, parseEther, parseGwei, type Hex, type PublicClient } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  startFaultProxy,
  type Fault,
  type FaultProxy,
  type FaultRule,
  headOff,
  nonceOff,
  otherChain,
  receiptsHidden,
} from './fault-proxy.ts'
import { createRandom } from '../seed/market.ts'
import { useDevnet } from '../use-devnet.ts'

const devnet = useDevnet()
const sender = mnemonicToAccount('test test test test test test test test test test test junk')
let proxy: FaultProxy

beforeEach(async () => {
  proxy = await startFaultProxy({ target: devnet().rpcUrl, random: createRandom('faults').next })
})
afterEach(() => proxy.stop())

describe('without rules', () => {
  test('it answers as the endpoint does, single and in batches, and counts by method', async () => {
    const client = clientOf({ batch: true })
    const [chainId, block] = await Promise.all([client.getChainId(), client.getBlock()])
    const direct = createPublicClient({ transport: http(devnet().rpcUrl) })
    expect({ chainId, hash: block.hash }).toEqual({ chainId: 31_337, hash: (await direct.getBlock()).hash })
    expect(Object.fromEntries(proxy.methods())).toEqual({ eth_chainId: 1, eth_getBlockByNumber: 1 })
    expect(proxy.faults().size).toBe(0)
  })

  test('it counts how often the same signed bytes were offered', async () => {
    const raw = await signed()
    await clientOf().sendRawTransaction({ serializedTransaction: raw })
    await clientOf()
      .sendRawTransaction({ serializedTransaction: raw })
      .catch(() => null)
    expect([...proxy.rawTransactions()]).toEqual([[raw, 2]])
  })
})

describe('a fault', () => {
  const faults: [string, Fault, RegExp][] = [
    ['a 503', { kind: 'status', status: 503 }, /Status: 503/],
    ['a 429', { kind: 'status', status: 429, retryAfterSeconds: 7 }, /Status: 429/],
    ['silence', { kind: 'stall' }, /took too long|timed out/],
    ['silence after the work was done', { kind: 'stall', forwarded: true }, /took too long|timed out/],
    ['a broken connection', { kind: 'reset', forwarded: false }, /HTTP request failed/],
    ['an answer that is lost', { kind: 'reset', forwarded: true }, /HTTP request failed/],
    ['half an answer', { kind: 'truncated' }, /JSON|HTTP request failed/],
    ['a page', { kind: 'html' }, /JSON|HTTP request failed|Missing or invalid/],
  ]

  test.each(faults)('%s reaches the client as what it is', async (_name, fault, message) => {
    proxy.setRules([{ fault }])
    await expect(clientOf({ timeoutMs: fault.kind === 'stall' ? 1_000 : 60_000 }).getBlock()).rejects.toThrow(message)
    await expect.poll(() => Object.fromEntries(proxy.faults())).toEqual({ [fault.kind]: 1 })
  })

  test('Retry-After is there to be read', async () => {
    proxy.setRules([{ fault: { kind: 'status', status: 429, retryAfterSeconds: 7 } }])
    const { headers } = await fetch(proxy.url, { method: 'POST', body: '{}' })
    expect(headers.get('retry-after')).toBe('7')
  })

  test.each([
    ['an answer that is lost has had its effect', { kind: 'reset', forwarded: true }, 1],
    ['a connection that broke first has had none', { kind: 'reset', forwarded: false }, 0],
    ['half an answer has had its effect', { kind: 'truncated' }, 1],
    ['an error has had none', { kind: 'status', status: 500 }, 0],
  ] satisfies [string, Fault, number][])('%s', async (_name, fault, effects) => {
    const before = await nonce()
    proxy.setRules([{ fault, methods: ['eth_sendRawTransaction'] }])
    await expect(clientOf().sendRawTransaction({ serializedTransaction: await signed() })).rejects.toThrow(
      /HTTP request failed|JSON/,
    )
    await expect.poll(async () => (await nonce()) - before).toBe(effects)
  })
})

describe('a lie', () => {
  test('about the chain id', async () => {
    proxy.setRules([{ fault: otherChain(10) }])
    expect(await clientOf().getChainId()).toBe(10)
  })

  test.each([-3_600, 3_600])('about the time of the newest block, by %s seconds, also within a batch', async (by) => {
    const { timestamp } = await clientOf().getBlock()
    proxy.setRules([{ fault: headOff(by) }])
    const client = clientOf({ batch: true })
    const [block, chainId] = await Promise.all([client.getBlock(), client.getChainId()])
    expect([block.timestamp, chainId]).toEqual([timestamp + BigInt(by), 31_337])
  })

  test('about how many transactions an account has', async () => {
    proxy.setRules([{ fault: nonceOff(5) }])
    expect(await clientOf().getTransactionCount(sender)).toBe((await nonce()) + 5)
  })

  test('about receipts, which it has none of', async () => {
    const hash = await clientOf().sendRawTransaction({ serializedTransaction: await signed() })
    const receipt = () => clientOf().request({ method: 'eth_getTransactionReceipt', params: [hash] })
    await expect.poll(receipt).not.toBeNull()
    proxy.setRules([{ fault: receiptsHidden() }])
    expect(await receipt()).toBeNull()
  })
})

describe('rules', () => {
  test('strike the methods they name, so often as they say, in their order', async () => {
    proxy.setRules([
      { fault: { kind: 'status', status: 500 }, methods: ['eth_chainId'], times: 1 },
      { fault: { kind: 'html' }, methods: ['eth_chainId'], times: 1 },
    ])
    const client = clientOf()
    await client.getBlock()
    await expect(client.getChainId()).rejects.toThrow(/500/)
    await expect(client.getChainId()).rejects.toThrow(/JSON|HTTP request failed|Missing or invalid/)
    expect(await client.getChainId()).toBe(31_337)
    expect(Object.fromEntries(proxy.faults())).toEqual({ status: 1, html: 1 })
  })

  test('with a chance strike the same requests under the same seed', async () => {
    const run = async () => {
      const seeded = await startFaultProxy({ target: devnet().rpcUrl, random: createRandom('seed 7').next })
      seeded.setRules([{ fault: { kind: 'status', status: 503 }, chance: 0.3 } satisfies FaultRule])
      const client = createPublicClient({ transport: http(seeded.url, { retryCount: 0 }) })
      const struck: boolean[] = []
      for (let nth = 0; nth < 30; nth += 1) {
        struck.push(
          await client.getChainId().then(
            () => false,
            () => true,
          ),
        )
      }
      await seeded.stop()
      return struck
    }
    const first = await run()
    expect(first.filter(Boolean).length).toBeGreaterThan(2)
    expect(first.filter(Boolean).length).toBeLessThan(20)
    expect(await run()).toEqual(first)
  })
})

test('stopping cuts off a caller who waits', async () => {
  proxy.setRules([{ fault: { kind: 'stall' } }])
  const said = fetch(proxy.url, { method: 'POST', body: '{"id":1,"method":"eth_chainId"}' }).then(
    ({ status }) => `${status}`,
    ({ message }: Error) => message,
  )
  await expect.poll(() => proxy.methods().size).toBe(1)
  await proxy.stop()
  expect(await said).toBe('fetch failed')
})

function clientOf(options: { readonly batch?: boolean; readonly timeoutMs?: number } = {}): PublicClient {
  const { batch = false, timeoutMs: timeout = 60_000 } = options
  return createPublicClient({ transport: http(proxy.url, { retryCount: 0, batch, timeout }) })
}

function nonce(): Promise<number> {
  return createPublicClient({ transport: http(devnet().rpcUrl) }).getTransactionCount(sender)
}

async function signed(): Promise<Hex> {
  const client = createWalletClient({ account: sender, transport: http(devnet().rpcUrl) })
  const request = { to: sender.address, value: parseEther('0.1'), gas: 21_000n, chain: null } as const
  return client.signTransaction({
    ...request,
    type: 'eip1559',
    chainId: 31_337,
    nonce: await nonce(),
    maxFeePerGas: parseGwei('20'),
    maxPriorityFeePerGas: parseGwei('1'),
  } as never)
}
