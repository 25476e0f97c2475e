import { isAddressEqual } from 'viem'
import { expect, test } from 'vitest'
import { createMemoryJournal } from '../memory-journal.ts'
import { revokeDelegation } from './revoke-delegation.ts'
import { useSponsors } from './sponsors.fixture.ts'

const sponsors = useSponsors()
const { devnet, options, mined, pending, client, agents } = sponsors

test('a delegation ends when the wallet revokes it, and the wallet may delegate again', async () => {
  const { wallet } = sponsors
  await mined(options())
  await devnet().fund(wallet.address, { ETH: '1' })
  const journal = createMemoryJournal({ now: Date.now })
  const result = await revokeDelegation(wallet, { journal })
  if (result.status !== 'revoked') throw new Error(result.status)
  expect(isAddressEqual(result.implementation, devnet().simple7702Account)).toBe(true)
  expect(await client().getCode({ address: wallet.address })).toBeUndefined()
  expect(await journal.byHash(result.txHash)).toMatchObject({ state: 'final', nonce: 1 })
  await mined(options())
  expect(await agents()).toBe(2n)
  expect(sponsors.signatures).toEqual(['authorization', 'typed data', 'authorization', 'authorization', 'typed data'])
})

test('nothing is sent for an account without a delegation', async () => {
  expect(await revokeDelegation(sponsors.wallet)).toEqual({ status: 'none' })
  expect(sponsors.signatures).toEqual([])
})

test('a wallet that cannot pay is told how much is missing', async () => {
  await mined(options())
  const refused = revokeDelegation(sponsors.wallet)
  await expect(refused).rejects.toMatchObject({
    code: 'INSUFFICIENT_FUNDS',
    details: { address: sponsors.wallet.address, currency: 'ETH' },
  })
  expect(await client().getTransactionCount({ address: sponsors.wallet.address })).toBe(1)
})

test('an operation that was signed before cannot run afterwards', async () => {
  const { wallet, bundler } = sponsors
  await mined(options())
  bundler.setFaults([{ fault: { kind: 'lose' }, times: 1 }])
  const lost = await pending(options())
  await devnet().fund(wallet.address, { ETH: '1' })
  expect(await revokeDelegation(wallet)).toMatchObject({ status: 'revoked' })
  const again = await sponsors.offered(options({ resume: lost }))
  expect(again).toMatchObject({ status: 'pending', declined: expect.stringContaining('AA20') })
  expect(await agents()).toBe(1n)
})

test('nothing is signed while other transactions of the wallet are out', async () => {
  const { wallet } = sponsors
  await mined(options())
  await devnet().fund(wallet.address, { ETH: '1' })
  const journal = createMemoryJournal({ now: Date.now })
  await journal.recordSigned({
    requestId: 'r',
    step: 0,
    chainId: 31337,
    from: wallet.address,
    nonce: 1,
    attempt: 0,
    rawTransaction: '0x02',
    hash: `0x${'0'.repeat(64)}`,
    reservationId: null,
  })
  await expect(revokeDelegation(wallet, { journal })).rejects.toMatchObject({ code: 'NONCE_CONTENDED' })
  expect(sponsors.signatures).toEqual(['authorization', 'typed data'])
})
