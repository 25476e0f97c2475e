import { parseEther } from 'viem'
import { expect, test } from 'vitest'
import { quick, until, useSender } from '../sender.fixture.ts'

const { call, checkpoint, journal, node, run, sendElsewhere, senderOver } = useSender()

test('a caller who leaves or runs out of time gets pending, and the transaction goes on', async () => {
  await node().setAutomine(false)
  const sender = senderOver()
  const sent = await sender.broadcast(await sender.sign(call()))
  expect(await sender.confirm(sent, { signal: AbortSignal.timeout(100) })).toMatchObject({ status: 'pending' })
  expect(await sender.confirm(sent, { timeoutMs: 100 })).toMatchObject({ status: 'pending' })
  await node().mine({ blocks: 1 })
  expect(await sender.confirm(sent, quick)).toMatchObject({ status: 'final' })
})

test('it counts only with the asked confirmations', async () => {
  const sender = senderOver()
  const sent = await sender.broadcast(await sender.sign(call()))
  await node().mine({ blocks: 1 })
  const leaving = new AbortController()
  const early = sender.confirm(sent, { ...quick, confirmations: 3, signal: leaving.signal })
  await until(async () => (await journal().byHash(sent.hash))?.state === 'mined')
  leaving.abort()
  expect(await early).toMatchObject({ status: 'pending' })
  await node().mine({ blocks: 1 })
  expect(await sender.confirm(sent, { ...quick, confirmations: 3 })).toMatchObject({
    status: 'final',
    entry: { state: 'final' },
  })
})

test('G11: a reorg takes it back to broadcast, and the stored bytes go out again', async () => {
  const sender = senderOver()
  const sent = await sender.broadcast(await sender.sign(call()))
  const watch = sender.confirm(sent, { ...quick, confirmations: 3 })
  await until(async () => (await journal().byHash(sent.hash))?.state === 'mined')
  const lost = await journal().byHash(sent.hash)
  await node().setAutomine(false)
  await node().request({ method: 'anvil_reorg', params: [1, []] } as never)
  await until(async () => (await journal().byHash(sent.hash))?.state === 'broadcast')
  expect(await journal().byHash(sent.hash)).not.toHaveProperty('blockHash')
  await until(async () => (await node().getTxpoolStatus()).pending === 1)
  await node().mine({ blocks: 3 })
  const confirmed = await watch
  expect(confirmed).toMatchObject({ status: 'final', entry: { hash: sent.hash } })
  expect(confirmed.entry.blockHash).not.toBe(lost?.blockHash)
})

test('a dropped transaction is sent again', async () => {
  await node().setAutomine(false)
  const sender = senderOver()
  const sent = await sender.broadcast(await sender.sign(call()))
  await node().dropTransaction({ hash: sent.hash })
  const watch = sender.confirm(sent, { ...quick, resendAfterMs: 200 })
  await until(async () => (await node().getTxpoolStatus()).pending === 1)
  await node().mine({ blocks: 1 })
  expect(await watch).toMatchObject({ status: 'final' })
})

test('a node that counts a transaction before it shows the receipt is waited for', async () => {
  let hides = Infinity
  const sender = senderOver(async (method, forward) =>
    method === 'eth_getTransactionReceipt' && hides-- > 0 ? null : forward(),
  )
  const sent = await sender.broadcast(await sender.sign(call()))
  expect(await sender.broadcast(sent)).toMatchObject({ state: 'broadcast' })
  hides = 3
  expect(await sender.confirm(sent, quick)).toMatchObject({ status: 'final' })
  expect(hides).toBeLessThan(0)
})

test('a foreign transaction that took the nonce supersedes it', async () => {
  const sender = senderOver()
  const signed = await sender.sign(call())
  await sendElsewhere(signed.nonce)
  expect(await sender.broadcast(signed)).toMatchObject({ state: 'superseded' })
  expect(await sender.confirm(signed, quick)).toMatchObject({ status: 'superseded' })
  expect((await run(sender, call())).status).toBe('final')
})

test('a foreign transaction supersedes only once it is as deep as our own must be', async () => {
  const sender = senderOver(undefined, { confirmations: 3 })
  const signed = await sender.sign(call())
  await sendElsewhere(signed.nonce)
  const sent = await sender.broadcast(signed)
  expect(sent.state).toBe('broadcast')
  const watch = sender.confirm(sent, quick)
  await node().mine({ blocks: 2 })
  expect(await watch).toMatchObject({ status: 'superseded' })
})

test('bytes the node declines are refused for certain, and their nonce is used again', async () => {
  const sender = senderOver()
  const [poor, next] = [await sender.sign(call({ valueWei: parseEther('99999999') })), await sender.sign(call())]
  const waiting = await sender.broadcast(next)
  const refusal = expect.objectContaining({ details: expect.stringMatching(/insufficient funds/i) })
  expect(await sender.broadcast(poor)).toMatchObject({ state: 'refused', refusal })
  expect(await sender.confirm(poor, quick)).toMatchObject({ status: 'refused' })
  const filler = await run(sender, call())
  expect(filler).toMatchObject({ status: 'final', entry: { nonce: poor.nonce, attempt: 1 } })
  expect(await sender.confirm(waiting, quick)).toMatchObject({ status: 'final' })
})

test('a chain that was reset is called by its name', async () => {
  const sender = senderOver()
  const restore = await checkpoint()
  await run(sender, call())
  await restore()
  await expect(sender.sign(call())).rejects.toMatchObject({ code: 'NONCE_AHEAD_OF_CHAIN' })
})
