import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rmdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, type PendingRevocation, type Store } from '@svc/store'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { importOwedAllowances } from './owed-allowances-file.ts'

const owed: PendingRevocation = {
  chainId: 1,
  owner: '0x00000000000000000000000000000000000000Aa',
  token: '0x0000000000000000000000000000000000001111',
  spender: '0x0000000000000000000000000000000000002222',
}
const failed = { ...owed, chainId: 10, failed: { times: 3, at: 1_700_000_000_000 } }
const right = { ...owed, position: { tokenId: '7', nonce: '0', deadline: 600 } }
const ended = { ...owed, chainId: 137, endedIn: '12' }
const text = JSON.stringify([owed, failed, ended, right])

let dataDir: string
let path: string
let store: Store

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'owed-'))
  path = join(dataDir, 'owed-allowances.json')
  store = await openStore({ path: ':memory:', now: Date.now })
})
afterEach(() => store.close())

const kept = async () => [await store.pendingRevocations.list(), await store.pendingRevocations.ended()]

it('takes all that an earlier version noted into the store, once, and keeps the file under another name', async () => {
  await writeFile(path, text)
  await importOwedAllowances(dataDir, store.pendingRevocations)
  expect(await kept()).toEqual([[owed, failed, right], [ended]])
  expect([existsSync(path), await readFile(`${path}.imported`, 'utf8')]).toEqual([false, text])
  await store.pendingRevocations.remove([owed])
  await importOwedAllowances(dataDir, store.pendingRevocations)
  expect(await kept()).toEqual([[failed, right], [ended]])
})

it('takes it in again where a start was cut off before the file had its other name', async () => {
  await writeFile(path, text)
  await mkdir(`${path}.imported`)
  await expect(importOwedAllowances(dataDir, store.pendingRevocations)).rejects.toMatchObject({
    code: 'STORAGE_UNAVAILABLE',
  })
  await rmdir(`${path}.imported`)
  await importOwedAllowances(dataDir, store.pendingRevocations)
  // What had ended is owed once more, and ends when it is looked at.
  expect(await kept()).toEqual([[owed, failed, { ...ended, endedIn: undefined }, right], []])
  expect(existsSync(path)).toBe(false)
})

it('keeps the file, and fails, while the store takes nothing', async () => {
  await writeFile(path, text)
  const full = { add: () => Promise.reject(new Error('no room')) }
  await expect(importOwedAllowances(dataDir, full)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
  expect(await readFile(path, 'utf8')).toBe(text)
})

it('fails rather than forgets when the file makes no sense', async () => {
  await writeFile(path, '[{"chainId":1}]')
  await expect(importOwedAllowances(dataDir, store.pendingRevocations)).rejects.toThrow('makes no sense')
  expect(existsSync(path)).toBe(true)
})
