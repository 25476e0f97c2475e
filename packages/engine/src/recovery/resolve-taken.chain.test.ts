import { useDevnet } from '@svc/devnet/testing'
import { createMemoryJournal, createSender } from '@svc/wallet/core'
import { ServiceWallet } from '@svc/wallet/service-wallet'
import {
  createTestClient,
  createWalletClient,
  type Hash,
  http,
  parseTransaction,
  parseUnits,
  type SignedAuthorizationList,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterEach, describe, expect, it } from 'vitest'
import { createRpcPool } from '@svc/amm/rpc'
import { batchOf, naming, runBatch } from '../batch/batch.fixture.ts'
import { swapIntent } from '../fixtures/intents.fixture.ts'
import { mineNothing } from '../fixtures/mining.fixture.ts'
import { afterSending, beforeSending } from '../fixtures/network.fixture.ts'
import type { Pipeline } from '../fixtures/open-pipeline.fixture.ts'
import { used } from '../fixtures/pipeline-facts.fixture.ts'
import { storeEngines } from '../fixtures/store-engines.fixture.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'

const devnet = useDevnet()
const node = () => createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
const by = 'operator:ada'

afterEach(async () => {
  await node().request({ method: 'anvil_dropAllTransactions' } as never)
  await node().setAutomine(true)
})

describe.each(storeEngines)('a nonce that an endpoint has forgotten, on $engine', ({ usePlaces }) => {
  const { open } = usePipelines(devnet, usePlaces())

  it('is freed by the transaction that the operator names, once it is read in its block, and by no other', async () => {
    const pipeline = await open()
    beforeSending(pipeline, 2, () => mineNothing(pipeline))
    await expect(pipeline.run(swapIntent(pipeline, '300'))).rejects.toMatchObject({ code: 'TRANSACTION_PENDING' })
    const { hash } = (await pipeline.store.journal.open(pipeline.chain.id, pipeline.wallet))[0]!
    const [taker, other] = await takeElsewhere(pipeline)
    pipeline.patience.isShort = false
    pipeline.network.fetch = forgetful
    await pipeline.executor.reconcile()
    expect((await pipeline.store.journal.byHash(hash))?.state).toBe('broadcast')
    await expect(pipeline.run(swapIntent(pipeline, '100'))).rejects.toMatchObject({ code: 'WALLET_BUSY' })

    const [unknown, wrong] = [
      `0x${'ab'.repeat(32)}` as const,
      (await pipeline.store.journal.byNonce(pipeline.chain.id, pipeline.wallet, 0))[0]!.hash,
    ]
    for (const named of [unknown, wrong]) {
      expect(await resolved(pipeline, hash, named)).toBe('not-proved')
      expect((await pipeline.store.journal.byHash(hash))?.state).toBe('broadcast')
    }
    expect(await resolved(pipeline, hash, taker)).toBe('superseded')
    expect((await pipeline.store.journal.byHash(hash))?.state).toBe('superseded')
    // The end of its allowance was out behind it.
    const { hash: behind } = (await pipeline.store.journal.open(pipeline.chain.id, pipeline.wallet))[0]!
    expect(await resolved(pipeline, behind, other)).toBe('superseded')
    const lines = (await pipeline.auditLines()).filter(
      ({ event }) => event === 'tx.resolved' || event === 'tx.not-resolved',
    )
    expect(lines).toMatchObject([
      { event: 'tx.not-resolved', by },
      { event: 'tx.not-resolved', by },
      { event: 'tx.resolved', by, transaction: { hash, minedInstead: taker } },
      { event: 'tx.resolved', by, transaction: { hash: behind, minedInstead: other } },
    ])
    await pipeline.run(swapIntent(pipeline, '100'))
    expect([await used(pipeline), await pipeline.store.ledger.open()]).toEqual([parseUnits('100', 6), []])
  })
})

it('a nonce that one endpoint has forgotten is found at another of the chain', async () => {
  const privateKey = generatePrivateKey()
  const wallet = new ServiceWallet({ mode: 'local', privateKey })
  await devnet().fund(wallet.address, { ETH: '1' })
  const pruned = 'http://pruned.invalid/'
  const rpc = createRpcPool({
    urls: () => [pruned, devnet().rpcUrl],
    now: Date.now,
    fetch: (input, init) => (input === pruned ? forgetful(devnet().rpcUrl, init) : fetch(input, init)),
  })
  const journal = createMemoryJournal({ now: Date.now })
  const { chain } = devnet()
  const sender = createSender({ wallet, client: rpc.client(chain), chain, journal })
  const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n, gasLimit: 30_000n, reservationId: null }
  const call = { requestId: 'r', step: 0, to: wallet.address, data: '0x', valueWei: 0n, ...fees } as const
  const signed = await sender.sign({ ...call, allow: async () => {} })
  await sendElsewhere(privateKey, 0)
  await node().mine({ blocks: 20 })
  expect(await sender.reconcile()).toMatchObject([{ hash: signed.hash, state: 'superseded' }])
})

describe('the authorization of a cancelled batch that a stranger uses', () => {
  const { open } = usePipelines(devnet)

  it('G3: ends what was out at its nonce, which costs nothing, and the wallet goes on', async () => {
    const pipeline = await open({ policy: naming(devnet()) })
    const authorizationList = await cancelledBatch(pipeline)
    afterSending(pipeline, 1, async () => void (await useAuthorization(authorizationList)))
    await expect(pipeline.run(swapIntent(pipeline, '300'))).rejects.toMatchObject({ code: 'TRANSACTION_NOT_SENT' })
    expect([await used(pipeline), await pipeline.store.ledger.open()]).toEqual([0n, []])
    const superseded = (await pipeline.auditLines()).filter(({ event }) => event === 'tx.superseded')
    expect(superseded).toMatchObject([{ transaction: { nonce: 1, label: 'approve the exact amount' } }])
    await pipeline.run(swapIntent(pipeline, '100'))
    // The wallet is delegated now, to what the policy names: a batch is a plain transaction of its own.
    await runBatch(pipeline, batchOf(pipeline, [{}, {}]))
    expect([await pipeline.nonce(), await used(pipeline)]).toEqual([5, parseUnits('300', 6)])
  })

  it('is what the operator names where the endpoint has forgotten the state', async () => {
    const pipeline = await open({ policy: naming(devnet()) })
    const authorizationList = await cancelledBatch(pipeline)
    const first = (await pipeline.store.journal.byNonce(pipeline.chain.id, pipeline.wallet, 0)).at(-1)!
    pipeline.patience.isShort = true
    await expect(pipeline.run(swapIntent(pipeline, '300'))).rejects.toMatchObject({ code: 'TRANSACTION_PENDING' })
    await node().request({ method: 'anvil_dropAllTransactions' } as never)
    const taker = await useAuthorization(authorizationList)
    await node().mine({ blocks: 20 })
    pipeline.patience.isShort = false
    pipeline.network.fetch = forgetful
    await pipeline.executor.reconcile()
    const [out] = await pipeline.store.journal.open(pipeline.chain.id, pipeline.wallet)
    expect(out).toMatchObject({ nonce: 1, state: 'broadcast' })
    expect(await resolved(pipeline, out!.hash, first.hash)).toBe('not-proved')
    expect(await resolved(pipeline, out!.hash, taker)).toBe('superseded')
    pipeline.network.fetch = fetch
    await pipeline.run(swapIntent(pipeline, '100'))
    expect([await used(pipeline), await pipeline.store.ledger.open()]).toEqual([parseUnits('100', 6), []])
  })
})

/** What the wallet had signed for a batch that the operator cancels before it is mined. Blocks are mined by hand from now on. */
async function cancelledBatch(pipeline: Pipeline): Promise<SignedAuthorizationList> {
  await mineNothing(pipeline)
  const batch = runBatch(pipeline, batchOf(pipeline, [{}, {}]))
  await expect(batch).rejects.toMatchObject({ code: 'TRANSACTION_PENDING' })
  const { hash, rawTransaction } = (await pipeline.store.journal.open(pipeline.chain.id, pipeline.wallet))[0]!
  await pipeline.store.transactions.ask(hash, { what: 'cancel', by })
  await pipeline.executor.carryOutRequests()
  await node().mine({ blocks: 1 })
  await pipeline.executor.reconcile()
  await pipeline.executor.carryOutRequests()
  expect((await pipeline.store.transactions.byHash(hash))?.asked?.outcome).toBe('cancelled')
  pipeline.patience.isShort = false
  return parseTransaction(rawTransaction).authorizationList ?? []
}

/** A stranger's transaction carries it, and is mined before everything else. */
async function useAuthorization(authorizationList: SignedAuthorizationList): Promise<Hash> {
  const account = privateKeyToAccount(generatePrivateKey())
  await node().setBalance({ address: account.address, value: 10n ** 18n })
  const client = createWalletClient({ account, transport: http(devnet().rpcUrl) })
  const fees = { gas: 200_000n, maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 11n }
  const hash = await client.sendTransaction({ chain: null, to: account.address, authorizationList, ...fees })
  await node().mine({ blocks: 1 })
  await node().setAutomine(true)
  return hash
}

async function resolved(pipeline: Pipeline, hash: Hash, taker: Hash) {
  await pipeline.store.transactions.ask(hash, { what: taker, by })
  await pipeline.executor.carryOutRequests()
  pipeline.clock.offsetMs += 60_000
  return (await pipeline.store.transactions.byHash(hash))?.asked?.outcome
}

/** Somebody with the same key takes the two nonces that wait. */
async function takeElsewhere(pipeline: Pipeline): Promise<readonly [Hash, Hash]> {
  const open = await pipeline.store.journal.open(pipeline.chain.id, pipeline.wallet)
  await node().request({ method: 'anvil_dropAllTransactions' } as never)
  await node().setAutomine(true)
  const taken = [
    await sendElsewhere(pipeline.privateKey, open[0]!.nonce),
    await sendElsewhere(pipeline.privateKey, open[1]!.nonce),
  ] as const
  await node().mine({ blocks: 20 })
  return taken
}

async function sendElsewhere(privateKey: Hash, nonce: number): Promise<Hash> {
  const account = privateKeyToAccount(privateKey)
  const client = createWalletClient({ account, transport: http(devnet().rpcUrl) })
  return client.sendTransaction({ chain: null, to: account.address, value: 1n, nonce })
}

/** An endpoint that keeps the state of the newest four blocks alone. */
const forgetful: typeof fetch = async (_input, init) => {
  const newest = await node().request({ method: 'eth_blockNumber' } as never)
  const response = await fetch(devnet().rpcUrl, init)
  type Call = { readonly id: number; readonly method: string; readonly params?: readonly unknown[] }
  const asked = JSON.parse(typeof init?.body === 'string' ? init.body : '') as Call | Call[]
  const isOld = ({ method, params = [] }: Call): boolean => {
    const at = params[1]
    return (
      method === 'eth_getTransactionCount' &&
      typeof at === 'string' &&
      at.startsWith('0x') &&
      BigInt(at) < BigInt(newest) - 4n
    )
  }
  const old = new Set(
    [asked]
      .flat()
      .filter(isOld)
      .map(({ id }) => id),
  )
  type Answer = { readonly id: number }
  const answers = (await response.json()) as Answer | Answer[]
  const forget = (answer: Answer) =>
    old.has(answer.id)
      ? { jsonrpc: '2.0', id: answer.id, error: { code: -32_000, message: 'missing trie node' } }
      : answer
  return Response.json(Array.isArray(answers) ? answers.map(forget) : forget(answers))
}
