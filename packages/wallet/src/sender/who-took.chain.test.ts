import { custom, createPublicClient, type Hash, numberToHex, type PublicClient, type SignedAuthorization } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { freely, quick, until, useSender } from '../sender.fixture.ts'
import { takerIn, whoTook } from './settle.ts'

const { bob, call, journal, node, reader, run, sendElsewhere, senderOver, wallet } = useSender()

describe('who took a nonce', () => {
  test.each([0, 1, 2, 5, 40, 100])(
    'is read from the block that holds it, %s blocks below the newest',
    async (blocks) => {
      const { entry } = await run(senderOver(), call())
      if (blocks > 0) await node().mine({ blocks })
      const { client, asked } = counting()
      expect(await whoTook(client, entry, 1)).toBe(entry.hash)
      expect(asked()).toBeLessThanOrEqual(6 + 2 * Math.ceil(Math.log2(blocks + 1)))
    },
  )

  test('is not known before its block is deep enough, nor of a nonce that is not used', async () => {
    const { entry } = await run(senderOver(), call())
    expect(await whoTook(reader(), entry, 3)).toBeNull()
    await node().mine({ blocks: 2 })
    expect(await whoTook(reader(), entry, 3)).toBe(entry.hash)
    expect(await whoTook(reader(), { ...entry, nonce: entry.nonce + 1 }, 1)).toBeNull()
  })

  test('is not known where the endpoint has forgotten the state of old blocks', async () => {
    const { entry } = await run(senderOver(), call())
    await node().mine({ blocks: 20 })
    const newest = await reader().getBlockNumber({ cacheTime: 0 })
    const pruned = over(async (method, params, forward) => {
      const at = Array.isArray(params) ? params[1] : undefined
      if (method === 'eth_getTransactionCount' && typeof at === 'string' && BigInt(at) < newest - 4n) {
        throw new Error('missing trie node')
      }
      return forward()
    })
    expect(await whoTook(pruned, entry, 1)).toBeNull()
    const { entry: later } = await run(senderOver(), call())
    expect(await whoTook(pruned, later, 1)).toBe(later.hash)
  })

  test('is read from a block that is too long to be told whole, transaction by transaction', async () => {
    await node().setAutomine(false)
    const sender = senderOver()
    for (let one = 0; one < 21; one += 1) await sender.broadcast(await sender.sign(call()))
    const last = await sender.broadcast(await sender.sign(call()))
    await node().mine({ blocks: 1 })
    await node().setAutomine(true)
    expect((await reader().getBlock()).transactions).toHaveLength(22)
    expect(await whoTook(tooLong(), last, 1)).toBe(last.hash)
  })

  test('does not give a transaction of another chain', async () => {
    const { entry } = await run(senderOver(), call())
    const elsewhere = over(async (method, _params, forward) => {
      const answer = await forward()
      if (method !== 'eth_getBlockByNumber') return answer
      const block = answer as { transactions: { chainId: string }[] }
      for (const transaction of block.transactions) transaction.chainId = '0x1'
      return block
    })
    expect(await whoTook(elsewhere, entry, 1)).toBeNull()
  })

  test('does not give the transaction of somebody else with the same nonce', async () => {
    const { entry } = await run(senderOver(), call())
    const strange = over(async (method, _params, forward) => {
      const answer = await forward()
      if (method !== 'eth_getBlockByNumber') return answer
      const block = answer as { transactions: { from: string }[] }
      for (const transaction of block.transactions) transaction.from = bob
      return block
    })
    expect(await whoTook(strange, entry, 1)).toBeNull()
  })
})

describe('an authorization of the account', () => {
  const account = privateKeyToAccount(generatePrivateKey())
  const foreign = privateKeyToAccount(generatePrivateKey())
  const of = { chainId: 31337, from: account.address, nonce: 5 }
  const batchHash: Hash = `0x${'ba'.repeat(32)}`
  const strangerHash: Hash = `0x${'51'.repeat(32)}`
  const ownHash: Hash = `0x${'0e'.repeat(32)}`
  const authorized = (change: { chainId?: number; nonce?: number } = {}, by = account) =>
    by.signAuthorization({ contractAddress: bob, chainId: 31337, nonce: 5, ...change })
  const stranger = (authorizationList: SignedAuthorization[]) => ({
    hash: strangerHash,
    from: foreign.address,
    nonce: 0,
    chainId: 31337,
    authorizationList,
  })
  const own = (nonce: number, hash = ownHash, authorizationList: SignedAuthorization[] = []) => ({
    ...stranger(authorizationList),
    hash,
    from: account.address,
    nonce,
  })

  test.each([
    ['this chain', {}],
    ['any chain', { chainId: 0 }],
  ])('for %s takes its nonce in the transaction of a stranger', async (_which, change) => {
    expect(await takerIn([stranger([await authorized(change)])], of, 5)).toBe(strangerHash)
  })

  test('takes it after another, and after a transaction of the account, in the same block', async () => {
    const list = [await authorized({ nonce: 4 }), await authorized()]
    expect(await takerIn([stranger(list)], of, 4)).toBe(strangerHash)
    expect(await takerIn([own(4), stranger([await authorized()])], of, null)).toBe(strangerHash)
  })

  test('of a batch takes it with the batch, wherever else it is repeated', async () => {
    const list = [await authorized()]
    expect(await takerIn([stranger(list), own(4, batchHash, list), stranger(list)], of, 4)).toBe(batchHash)
  })

  test('takes nothing where a transaction of the account does', async () => {
    expect(await takerIn([stranger([await authorized()]), own(5)], of, 4)).toBe(ownHash)
    expect(await takerIn([own(5), stranger([await authorized()])], of, null)).toBe(ownHash)
  })

  test.each([
    ['before it is its turn', async () => [await authorized()], 4],
    ['once its turn is over', async () => [await authorized()], 6],
    ['where the state before the block is not known', async () => [await authorized()], null],
    ['of another chain', async () => [await authorized({ chainId: 1 })], 5],
    ['of another account', async () => [await authorized({}, foreign)], 5],
    ['with another nonce', async () => [await authorized({ nonce: 6 })], 5],
    ['with the higher of two signatures', async () => [mirrored(await authorized())], 5],
    ['with a signature that is none', async () => [{ ...(await authorized()), r: numberToHex(0, { size: 32 }) }], 5],
  ])('takes nothing %s', async (_when, list, before) => {
    expect(await takerIn([stranger(await list())], of, before)).toBeNull()
  })
})

describe('without a receipt', () => {
  test('what is in a block of ours stays open, however long the receipt is missing', async () => {
    const good = senderOver()
    const before = await reader().getBalance({ address: bob })
    const sent = await good.broadcast(await good.sign(call()))
    await until(async () => (await reader().getBalance({ address: bob })) === before + 1n)
    const late = senderOver(async (method, forward) => (method === 'eth_getTransactionReceipt' ? null : forward()))
    expect(await late.reconcile(freely())).toMatchObject([{ hash: sent.hash, state: 'broadcast' }])
    expect(await late.confirm(sent, { pollMs: 20, timeoutMs: 2_500 })).toMatchObject({ status: 'pending' })
    await senderOver().reconcile(freely())
    expect(await journal().byHash(sent.hash)).toMatchObject({ state: 'final' })
  })

  test('what somebody else took stays open until the block is read in which they did', async () => {
    const sender = senderOver()
    const signed = await sender.sign(call())
    await sendElsewhere(signed.nonce)
    const blind = senderOver(async (method, forward) => {
      if (method === 'eth_getBlockByNumber') return null
      return forward()
    })
    await blind.reconcile().catch(() => undefined)
    expect((await journal().open(31337, wallet().address)).map(({ hash }) => hash)).toEqual([signed.hash])
    expect(await sender.reconcile()).toMatchObject([{ hash: signed.hash, state: 'superseded' }])
  })
})

test('bytes that were declined and forwarded are what the chain shows, and nothing else', async () => {
  const sender = senderOver(async (method, forward) => {
    if (method === 'eth_getTransactionByHash') return null
    if (method !== 'eth_sendRawTransaction') return forward()
    await node().setAutomine(false)
    await forward()
    throw new Error('insufficient funds for gas * price + value')
  })
  const refused = await sender.broadcast(await sender.sign(call()))
  expect(refused.state).toBe('refused')
  await node().mine({ blocks: 1 })
  const late = senderOver(async (method, forward) => (method === 'eth_getTransactionReceipt' ? null : forward()))
  expect(await late.reconcile()).toMatchObject([{ hash: refused.hash, state: 'refused' }])
  expect(await senderOver().reconcile()).toMatchObject([{ hash: refused.hash, state: 'final' }])
  expect(await senderOver().confirm(refused, quick)).toMatchObject({ status: 'final' })
})

/** The other signature that recovers to the same account, which no chain takes (EIP-2). */
function mirrored({ s, yParity, ...authorization }: SignedAuthorization): SignedAuthorization {
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  return { ...authorization, s: numberToHex(order - BigInt(s), { size: 32 }), yParity: yParity === 0 ? 1 : 0 }
}

type Fault = (method: string, params: unknown, forward: () => Promise<unknown>) => Promise<unknown>

function over(fault: Fault): PublicClient {
  const inner = reader()
  const request = ({ method, params }: { method: string; params?: unknown }): Promise<unknown> =>
    fault(method, params, () => inner.request({ method, params } as never))
  return createPublicClient({ transport: custom({ request }, { retryCount: 0 }), cacheTime: 0 })
}

/** An endpoint whose blocks are too long to be told with their transactions in them. */
function tooLong(): PublicClient {
  return over((method, params, forward) => {
    const isWhole = method === 'eth_getBlockByNumber' && Array.isArray(params) && params[1] === true
    return isWhole ? Promise.reject(new Error('too long')) : forward()
  })
}

function counting(): { readonly client: PublicClient; readonly asked: () => number } {
  let count = 0
  const client = over((_method, _params, forward) => {
    count += 1
    return forward()
  })
  return { client, asked: () => count }
}
