import {
  type Address,
  createWalletClient,
  type Hex,
  parseTransaction,
  type SignedAuthorization,
  zeroAddress,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { freely, quick, until, useSender } from '../sender.fixture.ts'
import type { JournalEntry } from '../journal.ts'
import type { Sender } from '../sender.ts'
import { noncesOf } from './entry-state.ts'
import type { SignRequest } from './sign-request.ts'

const { call, journal, node, reader, run, senderOver, transport, wallet } = useSender()

/** Code that takes any call and does nothing. */
const delegate: Address = '0x00000000000000000000000000000000000d1e6a'

describe('a transaction that delegates the account', () => {
  test('uses two nonces, and the next one is signed above both', async () => {
    const sender = senderOver()
    const confirmed = await run(sender, await delegating())
    expect(confirmed).toMatchObject({ status: 'final' })
    expect(parseTransaction(confirmed.entry.rawTransaction)).toMatchObject({
      type: 'eip7702',
      authorizationList: [{ address: delegate, chainId: 31337, nonce: confirmed.entry.nonce + 1 }],
    })
    expect(noncesOf(confirmed.entry)).toEqual([confirmed.entry.nonce, confirmed.entry.nonce + 1])
    expect(await codeOfWallet()).toBe(`0xef0100${delegate.slice(2)}`)
    expect(await run(sender, call({ gasLimit: 60_000n }))).toMatchObject({
      status: 'final',
      entry: { nonce: confirmed.entry.nonce + 2 },
    })
    expect(await journal().open(31337, wallet().address)).toEqual([])
  })

  test('leaves the second nonce alone while it is out, also when gaps are filled', async () => {
    const sender = senderOver()
    await node().setAutomine(false)
    const first = await sender.broadcast(await sender.sign(await delegating()))
    const second = await sender.sign(call())
    expect(second.nonce).toBe(first.nonce + 2)
    // The node does not take the second beside it, so it waits; nothing is put into the nonce between.
    await sender.reconcile(freely({ stuckAfterMs: 3_600_000 }))
    expect(await journal().byNonce(31337, wallet().address, first.nonce + 1)).toEqual([])
    await node().mine({ blocks: 1 })
    await sender.reconcile(freely({ stuckAfterMs: 3_600_000 }))
    await node().mine({ blocks: 1 })
    expect(await sender.confirm(second, quick)).toMatchObject({ status: 'final' })
    expect(await sender.confirm(first, quick)).toMatchObject({ status: 'final' })
  })

  test('is signed again with higher fees and the authorization that was signed', async () => {
    const sender = senderOver()
    await node().setAutomine(false)
    const first = await sender.broadcast(await sender.sign(await delegating()))
    const raised = await sender.replace(first, freely())
    expect(raised).toMatchObject({ status: 'replaced', entry: { nonce: first.nonce, attempt: 1 } })
    const [before, after] = [first, raised.entry].map(({ rawTransaction }) => parseTransaction(rawTransaction))
    expect(after).toMatchObject({ type: 'eip7702', authorizationList: before!.authorizationList })
    await node().mine({ blocks: 1 })
    expect(await sender.confirm(first, quick)).toMatchObject({ status: 'final', entry: { hash: raised.entry.hash } })
    expect(await codeOfWallet()).toBe(`0xef0100${delegate.slice(2)}`)
    await node().setAutomine(true)
    expect(await run(sender, call())).toMatchObject({ status: 'final', entry: { nonce: first.nonce + 2 } })
  })

  test('that is cancelled gives the second nonce back', async () => {
    const sender = senderOver()
    await node().setAutomine(false)
    const first = await sender.broadcast(await sender.sign(await delegating()))
    const cancelled = await sender.cancel(first, freely())
    expect(cancelled).toMatchObject({ status: 'replaced', entry: { nonce: first.nonce } })
    await node().mine({ blocks: 1 })
    expect(await sender.confirm(first, quick)).toMatchObject({ status: 'replaced', entry: { hash: first.hash } })
    await sender.reconcile()
    expect(await journal().byHash(cancelled.entry.hash)).toMatchObject({ state: 'final' })
    expect(await codeOfWallet()).toBeUndefined()
    await node().setAutomine(true)
    expect(await run(sender, call())).toMatchObject({ status: 'final', entry: { nonce: first.nonce + 1 } })
  })

  test('that was signed before the process died is sent by the next, which counts both nonces', async () => {
    const signed = await senderOver().sign(await delegating())
    const next = senderOver()
    await until(async () => {
      await next.reconcile(freely({ stuckAfterMs: 3_600_000 }))
      return (await journal().byHash(signed.hash))?.state === 'final'
    })
    expect(await run(next, call())).toMatchObject({ status: 'final', entry: { nonce: signed.nonce + 2 } })
  })

  test('that reverts has delegated all the same', async () => {
    const sender = senderOver()
    const reverted = await run(sender, await delegating({ to: await refusing(), valueWei: 1n }))
    expect(reverted).toMatchObject({ status: 'reverted' })
    expect(await codeOfWallet()).toBe(`0xef0100${delegate.slice(2)}`)
    expect(await run(sender, call())).toMatchObject({ status: 'final', entry: { nonce: reverted.entry.nonce + 2 } })
  })

  test('that a block undoes is sent again with the same bytes', async () => {
    await node().mine({ blocks: 3 })
    const sender = senderOver(undefined, { confirmations: 3 })
    const first = await sender.broadcast(await sender.sign(await delegating()))
    await until(async () => {
      await sender.reconcile()
      return (await journal().byHash(first.hash))?.state === 'mined'
    })
    await node().setAutomine(false)
    await node().request({ method: 'anvil_reorg', params: [1, []] } as never)
    expect(await codeOfWallet()).toBeUndefined()
    expect(await sender.reconcile(freely({ stuckAfterMs: 3_600_000 }))).toMatchObject([{ state: 'broadcast' }])
    await until(async () => (await node().getTxpoolStatus()).pending === 1)
    await node().mine({ blocks: 3 })
    expect(await sender.confirm(first, quick)).toMatchObject({ status: 'final', entry: { hash: first.hash } })
    expect(await codeOfWallet()).toBe(`0xef0100${delegate.slice(2)}`)
    expect(await sender.sign(call())).toMatchObject({ nonce: first.nonce + 2 })
  })
})

test('a transaction at the nonce of an authorization that was mined is told never to be', async () => {
  const sender = senderOver()
  const kept = await sender.sign(call())
  const above = await sender.sign(call())
  // The same key elsewhere: one transaction takes the nonces of both.
  await placeDelegate()
  const authorization = await wallet().signAuthorization({
    contractAddress: delegate,
    chainId: 31337,
    nonce: above.nonce,
  })
  const foreign = await wallet().signTransaction({
    type: 'eip7702',
    chainId: 31337,
    nonce: kept.nonce,
    to: zeroAddress,
    gas: 100_000n,
    maxFeePerGas: 10n ** 10n,
    maxPriorityFeePerGas: 1n,
    authorizationList: [authorization],
  })
  await reader().request({ method: 'eth_sendRawTransaction', params: [foreign] } as never)
  await node().mine({ blocks: 1 })
  await sender.reconcile()
  for (const { hash } of [kept, above]) expect(await journal().byHash(hash)).toMatchObject({ state: 'superseded' })
})

describe('an authorization of a batch that was cancelled, which everybody saw', () => {
  test('G3: takes the nonce of what comes next where a stranger uses it, and keeps nothing open', async () => {
    const sender = senderOver()
    const { next, authorizationList } = await afterCancelled(sender)
    await useAuthorization(authorizationList)
    await node().mine({ blocks: 1 })
    expect(await countOf(wallet().address)).toBe(next.nonce + 1)
    expect(await sender.reconcile()).toMatchObject([{ hash: next.hash, state: 'superseded' }])
    expect(await codeOfWallet()).toBe(`0xef0100${delegate.slice(2)}`)
    await node().setAutomine(true)
    const again = await run(sender, call({ gasLimit: 60_000n }))
    expect(again).toMatchObject({ status: 'final', entry: { nonce: next.nonce + 1 } })
    expect(await journal().open(31337, wallet().address)).toEqual([])
  })

  test('G3: keeps nothing open either in a block that is too long to be told whole', async () => {
    const { next, authorizationList } = await afterCancelled(senderOver())
    await useAuthorization(authorizationList)
    await node().mine({ blocks: 1 })
    const late = senderOver(async (method, forward) => {
      const told = await forward()
      const isWhole = method === 'eth_getBlockByNumber' && JSON.stringify(told).includes('authorizationList')
      return isWhole ? Promise.reject(new Error('too long')) : told
    })
    expect(await late.reconcile()).toMatchObject([{ hash: next.hash, state: 'superseded' }])
  })

  test('ends the watch of what comes next', async () => {
    const sender = senderOver()
    const { next, authorizationList } = await afterCancelled(sender)
    const watch = sender.confirm(next, quick)
    await useAuthorization(authorizationList)
    await node().mine({ blocks: 1 })
    expect(await watch).toMatchObject({ status: 'superseded', entry: { hash: next.hash } })
  })

  test('proves nothing before its block is deep enough, nor once that is undone', async () => {
    await node().mine({ blocks: 4 })
    const sender = senderOver(undefined, { confirmations: 3 })
    const { next, authorizationList } = await afterCancelled(sender)
    await useAuthorization(authorizationList)
    await node().mine({ blocks: 2 })
    await sender.reconcile()
    expect(await journal().byHash(next.hash)).toMatchObject({ state: 'broadcast' })
    await node().request({ method: 'anvil_reorg', params: [2, []] } as never)
    await node().request({ method: 'anvil_dropAllTransactions' } as never)
    await sender.reconcile()
    await node().mine({ blocks: 3 })
    expect(await sender.confirm(next, quick)).toMatchObject({ status: 'final', entry: { hash: next.hash } })
  })

  test('takes no nonce a second time', async () => {
    const sender = senderOver()
    const { next, authorizationList } = await afterCancelled(sender)
    await node().mine({ blocks: 1 })
    await useAuthorization(authorizationList)
    await node().mine({ blocks: 1 })
    await sender.reconcile()
    expect(await journal().byHash(next.hash)).toMatchObject({ state: 'final' })
    expect(await countOf(wallet().address)).toBe(next.nonce + 1)
  })
})

test('a wallet without a way to sign authorizations signs nothing', async () => {
  const { address } = wallet()
  const plain = { address, signTransaction: () => Promise.reject(new TypeError('never asked')) }
  const signing = senderOver(undefined, { wallet: plain }).sign(await delegating())
  await expect(signing).rejects.toMatchObject({ code: 'SIGNING_UNSUPPORTED' })
  expect(await journal().open(31337, address)).toEqual([])
})

type Cancelled = {
  readonly next: JournalEntry
  readonly authorizationList: readonly SignedAuthorization[]
}

/** A batch is cancelled for good, and another transaction is out at the nonce of its authorization. Blocks are mined by hand. */
async function afterCancelled(sender: Sender): Promise<Cancelled> {
  await node().setAutomine(false)
  const batch = await sender.broadcast(await sender.sign(await delegating()))
  const { authorizationList = [] } = parseTransaction(batch.rawTransaction)
  await sender.cancel(batch, freely())
  await node().mine({ blocks: 3 })
  await sender.reconcile()
  const next = await sender.broadcast(await sender.sign(call({ gasLimit: 60_000n })))
  expect(next).toMatchObject({ nonce: batch.nonce + 1, state: 'broadcast' })
  return { next, authorizationList }
}

/** A stranger carries it in a transaction of his own, which pays for the front of the block. */
async function useAuthorization(authorizationList: readonly SignedAuthorization[]): Promise<void> {
  const account = privateKeyToAccount(generatePrivateKey())
  await node().setBalance({ address: account.address, value: 10n ** 18n })
  const thief = createWalletClient({ account, transport: transport() })
  await thief.sendTransaction({
    chain: null,
    to: account.address,
    authorizationList: [...authorizationList],
    gas: 200_000n,
    maxFeePerGas: 10n ** 12n,
    maxPriorityFeePerGas: 10n ** 11n,
  })
}

function countOf(address: Address): Promise<number> {
  return reader().getTransactionCount({ address })
}

async function delegating(change: Partial<SignRequest> = {}): Promise<SignRequest> {
  await placeDelegate()
  return call({ to: wallet().address, valueWei: 0n, gasLimit: 120_000n, delegateTo: delegate, ...change })
}

async function placeDelegate(): Promise<void> {
  await node().setCode({ address: delegate, bytecode: '0x00' })
}

/** A contract that reverts whatever it is asked. */
async function refusing(): Promise<Address> {
  const address: Address = '0x0000000000000000000000000000000000007e7e'
  await node().setCode({ address, bytecode: '0x5f5ffd' })
  return address
}

function codeOfWallet(): Promise<Hex | undefined> {
  return reader().getCode({ address: wallet().address })
}
