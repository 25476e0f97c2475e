import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { cacheFolder, seededDump } from './seeded-dump.ts'

let cacheDir = ''
let made = 0
beforeEach(() => {
  cacheDir = mkdtempSync(join(tmpdir(), 'svc-cache-test-'))
  made = 0
})
afterEach(() => rmSync(cacheDir, { recursive: true, force: true }))

const make = async () => {
  made += 1
  await sleep(30)
  return Buffer.from(`state ${made}`)
}
const ask = async (maxAgeMs = Infinity) =>
  await seededDump({ cacheDir, variant: 'test', maxAgeMs, now: Date.now, make })

describe('seededDump', () => {
  test('makes the state once and then finds it', async () => {
    const file = await ask()
    expect(readFileSync(file, 'utf8')).toBe('state 1')
    expect(await ask()).toBe(file)
    expect(made).toBe(1)
    expect(readdirSync(cacheDir)).toHaveLength(1)
  })

  test('makes it once when many ask together', async () => {
    const files = await Promise.all(Array.from({ length: 5 }, async () => await ask()))
    expect(new Set(files).size).toBe(1)
    expect(made).toBe(1)
  })

  test('makes a stale one anew in the same place', async () => {
    const file = await ask(60_000)
    const old = Date.now() / 1_000 - 120
    utimesSync(file, old, old)
    expect(await ask(60_000)).toBe(file)
    expect(readFileSync(file, 'utf8')).toBe('state 2')
  })

  test('clears away what other versions left long ago, and nothing else', async () => {
    const old = Date.now() / 1_000 - 4 * 86_400
    for (const name of ['devnet-test-0000.json', 'devnet-test-1111.json', 'other.json']) {
      writeFileSync(join(cacheDir, name), '')
      if (name !== 'devnet-test-1111.json') utimesSync(join(cacheDir, name), old, old)
    }
    const file = await ask()
    expect(readdirSync(cacheDir).sort()).toEqual(['devnet-test-1111.json', basename(file), 'other.json'].sort())
  })

  test('takes over from a maker that died, and hands over when a maker fails', async () => {
    const file = await ask()
    rmSync(file)
    // No process has this id: Linux stops counting well below it.
    writeFileSync(`${file}.lock`, '999999999')
    await ask()
    expect(made).toBe(2)
    rmSync(file)
    const failing = async () => await Promise.reject(new Error('no chain'))
    const failed = seededDump({ cacheDir, variant: 'test', maxAgeMs: Infinity, now: Date.now, make: failing })
    await expect(failed).rejects.toThrow('no chain')
    await ask()
    expect(made).toBe(3)
    expect(readdirSync(cacheDir)).toHaveLength(1)
  })
})

describe('cacheFolder', () => {
  test('is the named one, else svc in the user’s cache, else in the temporary folder', () => {
    expect(cacheFolder(join(cacheDir, 'named'), {})).toBe(join(cacheDir, 'named'))
    expect(cacheFolder(undefined, { XDG_CACHE_HOME: cacheDir })).toBe(join(cacheDir, 'svc'))
    const blocked = join(cacheDir, 'file')
    writeFileSync(blocked, '')
    expect(cacheFolder(undefined, { XDG_CACHE_HOME: blocked })).toBe(join(tmpdir(), 'svc'))
    mkdirSync(join(cacheDir, 'other'))
    expect(() => cacheFolder(blocked, {})).toThrow('cannot write to')
  })
})
