import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, type Store } from '@svc/store'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { mostSkewMs, tokenLifeSeconds } from '../../../tool-server/src/auth/sign-in/tokens.ts'
import { callCommand } from '../calls.fixture.ts'

const address = '0x940181a94A35A4569E4529A3CDfB74e38FD98631'
const jti = 'b3a1c0de-0000-4000-8000-0123456789ab'
let dataDir: string
let store: Store

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'svc-keys-'))
  store = await openStore({ path: join(dataDir, 'state.db'), now: Date.now })
})
afterEach(async () => {
  await store.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const svc = (...words: readonly string[]) => callCommand(['keys', ...words, '--data-dir', dataDir])

describe('svc keys', () => {
  it('revokes and restores a wallet, by its address or its caller id, beside whoever has the state open', async () => {
    expect(await svc('revoke', `siwe:${address}`)).toMatchObject({ code: 0, stdout: expect.stringContaining(address) })
    const { revocations, epoch } = await store.signIns.state()
    expect(revocations).toMatchObject([
      { subject: `address:${address}`, until: null, by: expect.stringMatching(/^operator:/) },
    ])
    expect(await svc('revoke', address.toLowerCase())).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('already'),
    })
    expect(await svc('restore', address, '--json')).toMatchObject({
      code: 0,
      stdout: `${JSON.stringify({ subject: `address:${address}`, changed: true })}\n`,
    })
    expect(await svc('restore', address)).toMatchObject({ code: 1 })
    const after = await store.signIns.state()
    expect([after.revocations, after.epoch > epoch]).toEqual([[], true])
  })

  it('revokes a token for as long as what it left may wait, and rotates keys', async () => {
    expect(await svc('revoke', jti)).toMatchObject({ code: 0 })
    const { revocations } = await store.signIns.state()
    expect(revocations).toMatchObject([{ subject: `jti:${jti}`, until: null }])
    expect(await svc('rotate', '--json')).toMatchObject({ code: 0, stdout: '{"rotated":true,"overlapMinutes":15}\n' })
    expect(await store.signIns.state()).toMatchObject({ rotation: 1 })
  })

  it('takes the old keys for as long as --overlap says: by default so long that no token ends before its time', async () => {
    const publish = (kid: string) =>
      store.signIns.publishKey({ kid, publicJwk: '{}', acceptedUntil: Date.now() + 3_600_000 })
    const leftMs = async (kid: string) =>
      ((await store.signIns.state()).keys.find((key) => key.kid === kid)?.acceptedUntil ?? 0) - Date.now()
    await publish('first')
    expect(await svc('rotate', '--overlap', '3')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('3 minutes at the most'),
    })
    expect(await leftMs('first')).toBeLessThanOrEqual(180_000)
    expect(await leftMs('first')).toBeGreaterThan(0)
    await publish('second')
    // A token may be signed after this, by a server that has not looked yet, and whose clock is ahead.
    const lastEnd = Date.now() + tokenLifeSeconds * 1_000 + mostSkewMs
    expect(await svc('rotate')).toMatchObject({ code: 0, stdout: expect.stringContaining('15 minutes at the most') })
    expect((await leftMs('second')) + Date.now()).toBeGreaterThanOrEqual(lastEnd)
    expect(await leftMs('second')).toBeLessThanOrEqual(tokenLifeSeconds * 1_000 + mostSkewMs)
    expect(await svc('rotate', '--overlap', '0')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/is refused from then on.* tasks that run, go on until: svc keys revoke WALLET/),
    })
    for (const kid of ['first', 'second']) expect(await leftMs(kid)).toBeLessThan(0)
    for (const wrong of ['16', '-1', '1.5', '', 'ten', '0x1', '015m']) {
      expect(await svc('rotate', `--overlap=${wrong}`)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('from 0 to 15'),
      })
    }
    expect((await store.signIns.state()).rotation).toBe(3)
  })

  it.each([`oauth:${'0a'.repeat(8)}:${'1b'.repeat(16)}`, 'edge-access:0a1b2c3d.access'])(
    'revokes and restores %s, who comes with tokens of others',
    async (caller) => {
      expect(await svc('revoke', caller)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(`caller ${caller}`),
      })
      expect((await store.signIns.state()).revocations).toMatchObject([{ subject: caller, until: null }])
      expect(await svc('restore', caller)).toMatchObject({ code: 0 })
      expect((await store.signIns.state()).revocations).toEqual([])
    },
  )

  it('refuses what is neither, and a place without a state', async () => {
    for (const words of [
      ['revoke'],
      ['revoke', 'read'],
      ['revoke', address.replace('a94A', 'A94A')],
      ['revoke', jti, address],
      ['restore', ''],
    ]) {
      expect(await svc(...words)).toMatchObject({ code: 2, stdout: '' })
    }
    const elsewhere = await callCommand(['keys', 'rotate', '--data-dir', join(dataDir, 'none')])
    expect(elsewhere).toMatchObject({ code: 1, stderr: expect.stringContaining('no state of a server') })
  })
})
